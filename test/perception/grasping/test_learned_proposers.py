"""Adapters of learned models, against doubles made from the signatures of their code.

M2T2: https://github.com/NVlabs/M2T2 (demo.py, m2t2/m2t2.py, m2t2/dataset.py), Contact-GraspNet:
cgn-pytorch 0.4.3 (inference.py). The doubles refuse what the originals do not take.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from malmm_ros.backends import load_backend
from malmm_ros.errors import ConfigurationError, MissingDependencyError, PerceptionError
from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.grasping import (
    GRASP_PROPOSER_INSTALLS,
    GRASP_PROPOSERS,
    Grasp,
    GraspProposer,
    choose_grasp,
)
from malmm_ros.perception.grasping.graspnet_frame import centred, draw, tcp_pose
from malmm_ros.scene import TABLE_TOP_Z, SceneObject

Lifts = Callable[[Grasp], bool]
HERE = "malmm_ros.perception.grasping"
NOTHING = PointCloud.empty()
SETTINGS = """
m2t2: {scene_encoder: {use_rgb: false}, contact_decoder: {in_features: [res1, res2, res3]}}
eval: {checkpoint: '', mask_thresh: 0.9, object_thresh: 0.9, world_coord: false,
       placement_height: 0.02}
"""


def test_a_graspnet_grasp_becomes_ours(good_grasp: np.ndarray, block: SceneObject) -> None:
    tcp = tcp_pose(good_grasp.astype(np.float32))
    assert tcp.position == pytest.approx(block.pose.position, abs=1e-6)
    # The fingers close along our y, across the block.
    assert abs(tcp.matrix()[:3, 1] @ good_grasp[:3, 0]) == pytest.approx(1.0)
    assert tcp.matrix()[:3, 2] == pytest.approx((0.0, 0.0, -1.0), abs=1e-6)


def test_a_grasp_at_one_side_is_moved_to_the_middle(
    block_cloud: PointCloud, good_grasp: np.ndarray, block: SceneObject
) -> None:
    tcp = tcp_pose(good_grasp)
    at_one_side = tcp @ Pose((0.0, 0.5 * block.size[0], 0.0))
    for start in (tcp, at_one_side):
        moved, width = centred(block_cloud.points, start)
        assert moved.position == pytest.approx(tcp.position, abs=0.001)
        assert width == pytest.approx(block.size[0], abs=0.002)
    # Of a face that was not seen, the other one tells.
    local = tcp.inverse().apply(block_cloud.points)
    seen = block_cloud.points[local[:, 1] > 0.5 * block.size[0] - 0.001]
    assert centred(seen, tcp) == (tcp, pytest.approx(block.size[0], abs=0.002))
    away = Pose((0.0, 0.0, 2.0))
    assert centred(block_cloud.points, away) == (away, 0.0)


def test_a_sample_uses_every_point_before_any_twice() -> None:
    rng = np.random.default_rng(0)
    assert sorted(draw(3, 3, rng)) == [0, 1, 2]
    assert np.bincount(draw(3, 7, rng)).tolist() in ([3, 2, 2], [2, 3, 2], [2, 2, 3])
    assert len(set(draw(10, 4, rng).tolist())) == 4


@pytest.mark.parametrize("name", ["contact_graspnet", "m2t2"])
def test_a_missing_model_says_how_to_get_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("torch", "cgn_pytorch", "m2t2"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"{HERE}.{name}", raising=False)
    with pytest.raises(MissingDependencyError, match="docs/perception_models") as caught:
        load_backend("grasp proposer", name, GRASP_PROPOSERS, install=GRASP_PROPOSER_INSTALLS)
    assert "antipodal" in str(caught.value)


@pytest.mark.parametrize("name", GRASP_PROPOSERS)
def test_every_proposer_takes_what_the_contract_says(name: str) -> None:
    try:
        made = load_backend(
            "grasp proposer", name, GRASP_PROPOSERS, install=GRASP_PROPOSER_INSTALLS
        )
    except MissingDependencyError as error:
        pytest.skip(str(error))
    wanted = inspect.signature(GraspProposer.propose).parameters
    assert list(inspect.signature(made.propose).parameters) == list(wanted)


# --- Contact-GraspNet


@pytest.fixture
def cgn(monkeypatch: pytest.MonkeyPatch, good_grasp: np.ndarray) -> types.ModuleType:
    """The package, with a model that knows one good grasp."""
    module = types.ModuleType("cgn_pytorch")
    network = object()
    module.calls = []  # type: ignore[attr-defined]  # a double

    def from_pretrained(
        checkpoint_path: str | None = None, device: str | int = 0
    ) -> tuple[object, object, dict[str, Any]]:
        assert checkpoint_path is None
        assert device == "cpu"
        return network, object(), {}

    def inference(
        cgn: object,
        pcd: np.ndarray,
        threshold: float = 0.5,
        visualize: bool = False,
        max_grasps: int = 0,
        gripper_depth: float = 0.1034,
        gripper_width: float = 0.08,
        obj_mask: np.ndarray | None = None,
    ) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
        assert cgn is network
        assert not visualize
        assert pcd.dtype == np.float32
        assert pcd.ndim == 2
        assert pcd.shape[1] == 3
        assert len(pcd) <= 20000  # above it the original draws at random
        assert np.abs(pcd.mean(axis=0)).max() < 1e-3
        assert gripper_width == 0.16  # it cuts predicted widths at half of it
        assert obj_mask is not None
        assert obj_mask.shape == (len(pcd),)
        module.calls.append((pcd, obj_mask))  # type: ignore[attr-defined]  # a double
        if threshold > 0.9:
            return None, None, None
        # As with the real weights, the width is 0 and the grasp at the contact.
        shifted = good_grasp.copy()
        shifted[:3, 3] -= module.origin + 0.028 * good_grasp[:3, 0]  # type: ignore[attr-defined]
        count = 6
        return (
            np.repeat(shifted[None], count, axis=0).astype(np.float32),
            np.full(count, 0.8, np.float32),
            np.arange(len(pcd)),
        )

    module.from_pretrained = from_pretrained  # type: ignore[attr-defined]  # a double
    module.inference = inference  # type: ignore[attr-defined]  # a double
    monkeypatch.setitem(sys.modules, "cgn_pytorch", module)
    monkeypatch.delitem(sys.modules, f"{HERE}.contact_graspnet", raising=False)
    return module


def test_a_good_grasp_of_contact_graspnet_lifts_the_block(
    cgn: Any, block_cloud: PointCloud, lifts: Lifts
) -> None:
    adapter = importlib.import_module(f"{HERE}.contact_graspnet")
    table = PointCloud(
        points=np.column_stack(
            (np.random.default_rng(0).uniform(-0.5, 0.8, (40000, 2)), np.full(40000, TABLE_TOP_Z))
        ),
        colors=np.zeros((40000, 3), np.uint8),
    )
    proposer = adapter.ContactGraspNetProposer()
    cgn.origin = proposer._scene(block_cloud, table)[2]
    grasps = proposer.propose(block_cloud, table)
    points, is_thing = cgn.calls[0]
    assert 0 < is_thing.sum() < len(points)
    grasp = choose_grasp(grasps)
    assert grasp is not None
    assert lifts(grasp)


def test_no_grasp_of_contact_graspnet_is_an_answer(cgn: Any, block_cloud: PointCloud) -> None:
    adapter = importlib.import_module(f"{HERE}.contact_graspnet")
    proposer = adapter.ContactGraspNetProposer(adapter.ContactGraspNetConfig(threshold=0.95))
    assert proposer.propose(block_cloud, NOTHING) == []
    with pytest.raises(PerceptionError):
        proposer.propose(NOTHING, NOTHING)
    with pytest.raises(ConfigurationError, match="threshold"):
        adapter.ContactGraspNetConfig(threshold=1.5)


# --- M2T2


@pytest.fixture
def m2t2(
    monkeypatch: pytest.MonkeyPatch, good_grasp: np.ndarray, block: SceneObject, tmp_path: Path
) -> Any:
    """The package, with a model that finds the block, at times, and something else."""
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'malmm_ros[vision]'")

    class M2T2(torch.nn.Module):  # type: ignore[misc]  # untyped base
        answers: ClassVar[list[int]] = []

        @classmethod
        def from_config(cls, cfg: Any) -> Any:
            assert cfg.scene_encoder.use_rgb is False
            assert cfg.contact_decoder.in_features[::-1] == ["res3", "res2", "res1"]
            model = cls()
            model.scale = torch.nn.Parameter(torch.zeros(1))
            return model

        def infer(self, data: dict[str, Any], cfg: Any) -> dict[str, Any]:
            assert not self.training
            assert (cfg.world_coord, cfg.mask_thresh, cfg.object_thresh) == (True, 0.4, 0.4)
            shapes = {name: tuple(value.shape) for name, value in data.items()}
            assert shapes == {
                "inputs": (1, 16384, 6),
                "points": (1, 16384, 3),
                "seg": (1, 16384),
                "object_inputs": (1, 1024, 6),
                "cam_pose": (1, 4, 4),
                "ee_pose": (1, 4, 4),
                "bottom_center": (1, 3),
                "object_center": (1, 3),
                "task_is_pick": (1,),
                "task_is_place": (1,),
            }
            floats = [value for name, value in data.items() if value.dtype.is_floating_point]
            assert all(value.dtype is torch.float32 for value in floats)
            assert float(data["points"][..., 2].min()) == pytest.approx(0.0, abs=1e-4)
            return self._answer(data)

        def _answer(self, data: dict[str, Any]) -> dict[str, Any]:
            count = self.answers.pop(0)
            # The model's frame: the table at 0 below the middle of the thing.
            shift = np.array([*block.pose.position[:2], TABLE_TOP_Z])
            grasp = good_grasp.copy()
            grasp[:3, 3] -= shift
            contact = grasp[:3, 3] + 0.1034 * grasp[:3, 2] - 0.5 * block.size[0] * grasp[:3, 0]
            elsewhere = grasp.copy()
            beside = np.array([0.2, 0.0, 0.0])
            elsewhere[:3, 3] += beside

            def tensor(values: np.ndarray, times: int) -> Any:
                return torch.from_numpy(np.repeat(values[None], times, axis=0)).float()

            return {
                "grasps": [[tensor(grasp, count), tensor(elsewhere, 3)]],
                "grasp_confidence": [[torch.full((count,), 0.7), torch.full((3,), 0.99)]],
                "grasp_contacts": [[tensor(contact, count), tensor(contact + beside, 3)]],
                "objectness": [torch.ones(2)],
            }

    package, module = types.ModuleType("m2t2"), types.ModuleType("m2t2.m2t2")
    module.M2T2 = M2T2  # type: ignore[attr-defined]  # a double
    monkeypatch.setitem(sys.modules, "m2t2", package)
    monkeypatch.setitem(sys.modules, "m2t2.m2t2", module)
    monkeypatch.delitem(sys.modules, f"{HERE}.m2t2", raising=False)
    torch.save({"model": {"scale": torch.ones(1)}}, tmp_path / "m2t2.pth")
    (tmp_path / "config.yaml").write_text(SETTINGS)
    return M2T2


def m2t2_proposer(folder: Path) -> Any:
    adapter = importlib.import_module(f"{HERE}.m2t2")
    config = adapter.M2T2Config(
        checkpoint=folder / "m2t2.pth", model_config=folder / "config.yaml", device="cpu"
    )
    return adapter.M2T2Proposer(config)


def test_a_good_grasp_of_m2t2_lifts_the_block(
    m2t2: Any, block_cloud: PointCloud, block: SceneObject, lifts: Lifts, tmp_path: Path
) -> None:
    # The first pass finds nothing, as the original does with an even number of contacts.
    m2t2.answers = [0, 5, 5]
    grasps = m2t2_proposer(tmp_path).propose(block_cloud, NOTHING)
    assert len(grasps) == 10  # those on the block only
    grasp = choose_grasp(grasps)
    assert grasp is not None
    assert grasp.width == pytest.approx(block.size[0], abs=0.002)
    assert yaw_difference(grasp.tcp.yaw, block.pose.yaw, symmetry=4) < 1e-3
    assert lifts(grasp)


def test_m2t2_without_any_answer_proposes_nothing(
    m2t2: Any, block_cloud: PointCloud, tmp_path: Path
) -> None:
    m2t2.answers = [0, 0, 0]
    assert m2t2_proposer(tmp_path).propose(block_cloud, NOTHING) == []


def test_m2t2_names_a_missing_file(m2t2: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no file .*gone"):
        m2t2_proposer(tmp_path / "gone")
