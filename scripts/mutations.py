"""The small changes that a mutant of a module may have: one operator, constant or statement.

Each change is a piece of the source and the text in its place, so that a mutant is read as easily
as the module. What no test could or should notice is left alone: docstrings, annotations,
decorators, the words of errors, exported names, imports for type checkers.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPPOSITES = COMPARISONS | {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_PAIRS = "min max, any all, floor ceil, minimum maximum, argmin argmax, logical_and logical_or"
PARTNERS = dict(pair.split() for pair in _PAIRS.split(", "))
PARTNERS |= {other: one for one, other in PARTNERS.items()}

Place = tuple[int, int]


@dataclass(frozen=True)
class Change:
    """Text in place of source[start:end], inside a function ("" is the module itself)."""

    file: str
    function: str
    kind: str
    line: int
    place: Place
    before: str
    after: str
    occurrence: int = 0

    @property
    def key(self) -> str:
        """Orders the changes of a file; no edit elsewhere in the file moves it."""
        parts = (self.file, self.function, self.kind, self.before, self.after, self.occurrence)
        return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()

    @property
    def text(self) -> str:
        """What changes, in one line; the second of its kind in a function says so."""
        again = f" (number {self.occurrence + 1})" if self.occurrence else ""
        return f"{_short(self.before)} -> {_short(self.after)}{again}"

    def apply(self, source: str) -> str:
        """The module with the change."""
        raw = source.encode()
        return (raw[: self.place[0]] + self.after.encode() + raw[self.place[1] :]).decode()


def _short(text: str) -> str:
    return " ".join(text.split())


def changes(source: str, file: str) -> list[Change]:
    """All changes of a module, in an order that is fixed by what they are."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: dict[tuple[Place, str], Change] = {}
    for function, kind, node, after in Search(source).module(tree):
        place = (
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
        )
        before = source.encode()[place[0] : place[1]].decode()
        if before != after:
            change = Change(file, function, kind, node.lineno, place, before, after)
            found.setdefault((place, after), change)
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for change in sorted(found.values(), key=lambda change: change.place):
        twin = (change.function, change.kind, _short(change.before), change.after)
        result.append(Change(**{**vars(change), "occurrence": seen[twin]}))
        seen[twin] += 1
    return sorted(result, key=lambda change: change.key)


Found = tuple[str, str, Any, str]  # function, kind, node, text in its place


class Search:
    """Walks through a module and remembers in which function it is."""

    def __init__(self, source: str) -> None:
        self.words = {
            word
            for node in ast.walk(ast.parse(source))
            for word in (getattr(node, "id", ""), getattr(node, "name", ""))
        }

    def module(self, tree: ast.Module) -> Iterator[Found]:
        """All that can change."""
        yield from self.block(tree.body, "")

    def block(self, body: Iterable[ast.stmt], function: str) -> Iterator[Found]:
        """Statements, one after the other."""
        bound: set[str] = set()
        for statement in body:
            yield from self.statement(statement, function, bound)
            bound |= {ast.unparse(target) for target in getattr(statement, "targets", ())}

    def statement(self, node: ast.stmt, function: str, bound: set[str]) -> Iterator[Found]:
        """A statement, and what is inside."""
        if isinstance(node, ast.FunctionDef):
            yield from self.definition(node, function)
        elif isinstance(node, ast.ClassDef):
            for name, kind, place, text in self.block(node.body, node.name):
                method = name.replace(".<locals>.", ".", 1) if name != node.name else ""
                yield method, kind, place, text
        elif isinstance(node, ast.Raise):
            yield function, "raise", node, "pass"
        elif not _is_skipped(node, function):
            for kind, part, text in _rewritten(node, bound):
                yield function, kind, part, text
            yield from self.inside(node, function)

    def definition(self, node: ast.FunctionDef, function: str) -> Iterator[Found]:
        """A function; without its last return it would fail wherever it is called."""
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            yield from self.expression(default, function)
        name = f"{function}.<locals>.{node.name}" if function else node.name
        *body, last = node.body
        if isinstance(last, ast.Return):
            yield from self.inside(last, name)
        else:
            body.append(last)
        yield from self.block(body, name)

    def inside(self, node: ast.AST, function: str) -> Iterator[Found]:
        """What a node consists of, but for annotations."""
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "op", "ops", "ctx"):
                continue
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield from self.block(value, function)
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.expr):
                    yield from self.expression(part, function)
                elif isinstance(part, ast.AST) and not isinstance(part, ast.stmt):
                    yield from self.inside(part, function)

    def expression(self, node: ast.expr, function: str) -> Iterator[Found]:
        """An expression, and what is inside."""
        if isinstance(node, ast.JoinedStr):
            return
        for kind, replacement in self.replacements(node):
            text = ast.unparse(replacement)
            yield function, kind, node, text if _is_closed(replacement) else f"({text})"
        conditions = [node.test] if isinstance(node, ast.IfExp) else []
        for generator in getattr(node, "generators", ()):
            conditions += generator.ifs
        for condition in conditions:
            yield function, "condition", condition, _negated(condition)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            return
        yield from self.inside(node, function)

    def replacements(self, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """What may stand in place of one expression."""
        yield from _values(node)
        yield from _operators(node)
        match node:
            case ast.Name(id=name) if (twin := partner(name)) and self.knows(twin):
                yield "partner", ast.Name(twin)
            case ast.Attribute(value, attr=name) if name in PARTNERS:
                yield "partner", ast.Attribute(value, PARTNERS[name])

    def knows(self, name: str) -> bool:
        """Whether a name means something in this module: others would fail at once."""
        return name in self.words or name in ("min", "max", "any", "all")


def _is_skipped(node: ast.stmt, function: str) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return not function and _is_alias(name)
    return False


def _rewritten(node: ast.stmt, bound: set[str]) -> Iterator[tuple[str, ast.AST, str]]:
    """The kinds, places and texts of what may stand in place of a statement, or of its test."""
    match node:
        case ast.Return() | ast.Continue() | ast.Break():
            yield "way out", node, "pass"
        case ast.AugAssign(target, op, value):
            changed = ast.AugAssign(target, ARITHMETIC[type(op)](), value)
            yield "arithmetic", node, ast.unparse(changed)
            yield "statement", node, "pass"
        case ast.Expr(value=ast.Call()):
            yield "statement", node, "pass"
        case ast.Assign(targets=[target]):
            if not isinstance(target, ast.Name | ast.Tuple) or ast.unparse(target) in bound:
                yield "statement", node, "pass"
        case ast.If(test) | ast.While(test):
            yield "condition", test, _negated(test)


def _values(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Constant(value=bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield "constant", ast.Constant({0: 1, 1: 0}.get(value, value + 1))
        case ast.Constant(value=float(value)):
            yield "constant", ast.Constant(2 * value or 1.0)
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield "sign", operand
        case ast.Slice(lower, upper, step):
            if lower:
                yield "slice", ast.Slice(None, upper, step)
            if upper:
                yield "slice", ast.Slice(lower, None, step)


def _operators(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Compare(left, ops, comparators):
            for k, op in enumerate(ops):
                others = [*ops[:k], COMPARISONS[type(op)](), *ops[k + 1 :]]
                yield "comparison", ast.Compare(left, others, comparators)
        case ast.BoolOp(logic, values):
            opposite = ast.Or() if isinstance(logic, ast.And) else ast.And()
            yield "logic", ast.BoolOp(opposite, values)
            for k in range(len(values)):
                rest = [*values[:k], *values[k + 1 :]]
                yield "logic", ast.BoolOp(logic, rest) if len(rest) > 1 else rest[0]
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC:
            yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(operator)](), right)


def partner(name: str) -> str | None:
    """The function that does the same on the other side."""
    for one, other in (("_down", "_up"), ("_up", "_down"), ("lower", "upper"), ("upper", "lower")):
        if name.endswith(one):
            return name.removesuffix(one) + other
    return PARTNERS.get(name)


def _negated(test: ast.expr) -> str:
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return f"({ast.unparse(operand)})"
        case ast.Compare(left, [op], comparators):
            return f"({ast.unparse(ast.Compare(left, [OPPOSITES[type(op)]()], comparators))})"
    return f"(not ({ast.unparse(test)}))"


def _is_closed(node: ast.expr) -> bool:
    """Whether no parentheses are needed, or none are allowed."""
    return isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.Slice | ast.Call)


def _is_alias(name: str) -> bool:
    """Whether a module gives a type this name: Array, but not LIMIT."""
    return name == "__all__" or (name[:1].isupper() and not name.isupper())


def noting(source: str) -> ast.Module:
    """The module, whose functions call `__entered__` with their names."""
    tree = ast.parse(source)

    def visit(body: list[ast.stmt], outer: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{outer}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                name = f"{outer}{node.name}"
                visit(node.body, f"{name}.<locals>.")
                first = 1 if ast.get_docstring(node) is not None else 0
                node.body[first:first] = ast.parse(f"__entered__({name!r})").body
            else:
                for part in ("body", "orelse", "finalbody"):
                    visit(getattr(node, part, []), outer)

    visit(tree.body, "")
    return ast.fix_missing_locations(tree)
