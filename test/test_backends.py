from __future__ import annotations

import pytest

from malmm_ros.backends import make_backend
from malmm_ros.errors import ConfigurationError, MissingDependencyError, UnknownNameError
from malmm_ros.perception import GRASP_PROPOSERS


def test_options_become_the_backends_own_configuration() -> None:
    proposer = make_backend("grasp proposer", "antipodal", GRASP_PROPOSERS, {"yaws": 12})
    assert proposer.config.yaws == 12
    assert make_backend("grasp proposer", "antipodal", GRASP_PROPOSERS, {}).config.yaws == 24


@pytest.mark.parametrize(
    ("options", "words"),
    [({"yaws": "many"}, "yaws: must be int"), ({"yaw": 12}, "Did you mean 'yaws'")],
)
def test_options_that_do_not_fit_are_named_with_their_backend(
    options: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"grasp proposer 'antipodal': .*{words}"):
        make_backend("grasp proposer", "antipodal", GRASP_PROPOSERS, options)


def test_unknown_names_and_missing_packages_are_told_apart() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'antipodal'"):
        make_backend("grasp proposer", "antipodl", GRASP_PROPOSERS, {})
    table = {"gone": "no_such_package_of_ours:Thing"}
    with pytest.raises(MissingDependencyError, match="pip install nothing"):
        make_backend("cooker", "gone", table, {}, install={"gone": "pip install nothing"})
