"""Shell completion: recipes, policies and files; and the command that switches it on.

The names in a file of policies are read from its text: nothing is executed to complete a word.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from ..gallery import gallery

SHELLS = ("bash", "zsh", "fish")


def complete_recipe(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The recipes of the gallery."""
    return _beginning(incomplete, gallery())


def complete_policy(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Policies with a name, Python files, and the policies in a Python file."""
    place, colon, _ = incomplete.partition(":")
    if colon and place.endswith(".py"):
        return _beginning(incomplete, (f"{place}:{name}" for name in _policies_in(Path(place))))
    from ..policies.own import names  # noqa: PLC0415 - numba takes half a second to import

    found = _beginning(incomplete, ("all", *names()))
    folder = Path(incomplete).parent if "/" in incomplete else Path()
    files = (str(folder / path.name) for path in sorted(folder.glob("*.py")))
    return [*found, *(CompletionItem(f"{x.value}:") for x in _beginning(incomplete, files))]


def _beginning(incomplete: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _policies_in(path: Path) -> list[str]:
    """Classes that have `choose`, and names in capital letters, as compiled policies have."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    found = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            methods = [part.name for part in node.body if isinstance(part, ast.FunctionDef)]
            found += [node.name] if "choose" in methods else []
        elif isinstance(node, ast.Assign):
            found += [x.id for x in node.targets if isinstance(x, ast.Name) and x.id.isupper()]
    return found


@click.command("completion", short_help="Print a script that completes words in the shell.")
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(shell: str) -> None:
    """Print a script for the shell, which then completes commands, recipes, policies and files.

    \b
        sidelight completion bash >> ~/.bashrc
        sidelight completion zsh >> ~/.zshrc
        sidelight completion fish > ~/.config/fish/completions/sidelight.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None  # click knows all of SHELLS
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "sidelight", "_SIDELIGHT_COMPLETE").source())
    if shell == "bash":  # which takes a colon for the end of a word: file.py:Name has one
        click.echo("COMP_WORDBREAKS=${COMP_WORDBREAKS//:}")
