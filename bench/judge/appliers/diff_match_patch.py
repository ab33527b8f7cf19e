"""diff-match-patch, which expects a position: that of the search if it stands in the text, else any distance is as good
as none."""

from __future__ import annotations

from collections.abc import Callable

from diff_match_patch import diff_match_patch

FAR = 1 << 40


def lander(distance: int | None = None) -> Callable[[str, str, str], str | None]:
    """What lands one edit without a position, perhaps with another `Match_Distance`."""
    engine = diff_match_patch()
    if distance is not None:
        engine.Match_Distance = distance

    def land(text: str, search: str, replace: str) -> str | None:
        after, landed = engine.patch_apply(engine.patch_make(search, replace), text)
        return after if all(landed) else None

    return land


ENGINE, ANYWHERE = diff_match_patch(), lander(FAR)


def land(text: str, search: str, replace: str) -> str | None:
    """One edit."""
    at = text.find(search)
    if at < 0:
        return ANYWHERE(text, search, replace)
    patches = ENGINE.patch_make(search, replace)
    for patch in patches:
        patch.start1 += at
        patch.start2 += at
    after, landed = ENGINE.patch_apply(patches, text)
    return after if all(landed) else None
