"""What both could share."""

from sidelight.kit import inlined


@inlined
def begins(t, actions, looks):
    return t <= looks * actions
