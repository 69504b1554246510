"""Trained models as programs that torch runs without allpass, from raw features and edges to outputs."""

from __future__ import annotations

import copy
import json
from io import BytesIO
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram
from torch.nn import functional as F
from torch_geometric.data import Data

from allpass.errors import AllpassError, InputError, MissingFileError
from allpass.files import check_writable, write_whole
from allpass.graph.operator import Operator
from allpass.graph.pattern import Pattern
from allpass.models.catalog import resolve
from allpass.nn.mixing import ChannelMixing
from allpass.sealed import CARD
from allpass.train.card import to_card
from allpass.train.trained import Trained, known_labels

TOLERANCE = 1e-5
"""How far the outputs of a program may be from those of its model, as a share of the largest."""


class ExportError(AllpassError):
    """A model cannot be written down as a program."""


def export(trained: Trained, data: Data, path: str | Path, *, fixed_graph: bool = False) -> ExportedProgram:
    """Write a model as a program of ``torch.export``, once it is sure that the program gives the same outputs.

    The program takes features ``x`` ``[N, F]`` dense and as they come (float64 where ``data.x`` is), ``edge_index``
    ``[2, E]``, and ``edge_weight`` ``[E]`` where ``data`` has weights, and gives ``[N, out_channels]``. Where edges go
    both ways, as they do unless the model was trained otherwise, it has to be given both. N and E may be any numbers
    from 2 on; models with weights or labels for each node keep their N. ``torch.export.load(path)`` reads it where
    there is torch alone, and gives the card of the model as the extra file ``"card.json"``.

    Args:
        trained: The model.
        data: A graph to try it on.
        path: Where to write; must end in ``.pt2``.
        fixed_graph: Keep the graph of ``data`` in the program, which then takes ``x`` of its nodes alone. Models that
            compute attention over loops, rings or positions from the graph can be exported in this way only.

    Returns:
        The program.
    """
    path = check_path(path)
    if not resolve(trained.model)[0].is_network:
        raise ExportError(
            f"{trained.model!r} is no torch network, so there is no program to export.", "Use the checkpoint."
        )
    data = trained.in_training_order(data)
    expected, x = trained.outputs(data), trained.features(data).to_dense()
    if x.dtype != torch.float64:  # such as times in seconds: the program scales them as they are
        x = x.to(trained.dtype)
    graph = trained.inputs(data)[1]
    edges = (graph.edge_index,) if data.edge_weight is None else (graph.edge_index, graph.values)
    given, kept = ((x,), graph) if fixed_graph else ((x, *edges), None)
    program = _written_down(trained, given, kept)
    program.example_inputs = None  # the data is nobody's business, and may be larger than the model
    content = BytesIO()  # where torch itself writes a file it takes the process down with a full disk
    torch.export.save(program, content, extra_files={CARD: json.dumps(to_card(trained))})
    content.seek(0)
    found = torch.export.load(content).module()(*given)
    allowed = TOLERANCE * float(expected.abs().max().clamp(min=1))
    if not torch.allclose(found, expected, rtol=0, atol=allowed):
        raise ExportError(
            f"The program of {trained.model!r} gives other outputs than the model; it was not written.",
            "Use the checkpoint." if fixed_graph else "Pass fixed_graph=True.",
        )
    write_whole(path, content.getvalue())
    return program


def check_path(path: str | Path) -> Path:
    """Raise where no program may be written; for asking before the work, not after."""
    path = Path(path)
    if path.suffix != ".pt2" or path.is_dir():
        raise InputError(f"Got the file name {path.name!r}.", "Expected one that ends in .pt2.")
    if not path.parent.is_dir():
        raise MissingFileError(f"There is no folder {str(path.parent)!r}.", "Make it first.")
    return check_writable(path)


class _Program(nn.Module):
    """Scaling, graph and network in one call; the graph is an argument, or kept."""

    labels: Tensor | None

    def __init__(self, trained: Trained, graph: Operator | None) -> None:
        super().__init__()
        assert isinstance(trained.network, nn.Module)
        self.network = copy.deepcopy(trained.network).requires_grad_(False)
        for part in list(self.network.modules()):
            mixing = getattr(part, "mixing", None)
            if isinstance(mixing, ChannelMixing):
                part.mixing = _Mixing(mixing)
        self.scaler, self.in_units, self.graph = trained.scaler, trained.in_units, graph
        self.dtype = trained.dtype
        self.register_buffer("labels", trained.labels)

    def forward(
        self, x: Tensor, edge_index: Tensor | None = None, edge_weight: Tensor | None = None
    ) -> Tensor:
        graph = self.graph
        if edge_index is not None:
            source, target = edge_index
            weights = x.new_ones(source.shape[0], dtype=self.dtype) if edge_weight is None else edge_weight
            graph = _Adjacency(target, source, weights, x.shape[0])
        given = {} if self.labels is None else {"labels": self.labels, "mask": known_labels(self.labels)}
        return self.in_units(self.network(self.scaler(x).to(self.dtype), graph, **given))


class _Mixing(nn.Module):
    """The formula of :class:`~allpass.nn.mixing.ChannelMixing` as it is written.

    That layer takes another way for large graphs, which would bind the program to graphs of one kind.
    """

    def __init__(self, mixing: ChannelMixing) -> None:
        super().__init__()
        self.score, self.mix, self.gain, self.shift = mixing.score, mixing.mix, mixing.gain, mixing.shift
        self.temperature, self.scale = mixing.temperature, mixing.scale

    def forward(self, channels: Tensor) -> Tensor:
        scored = channels
        if self.gain is not None and self.shift is not None:
            scored = F.layer_norm(channels, channels.shape[2:]) * self.gain + self.shift
        s = (scored * self.score).sum(dim=2).sigmoid()
        alpha = (s @ self.mix / self.temperature).softmax(dim=1)
        return self.scale * (alpha.unsqueeze(2) * channels).sum(dim=1)


class _Edges(Pattern):
    """Places in any order, as edges come: nothing is sorted, merged or looked at, so all of it can be traced."""

    def __init__(self, row: Tensor, col: Tensor, size: int) -> None:
        self.row, self.col, self.shape = row, col, (size, size)


class _Adjacency(Operator):
    """The adjacency of edges that are an input of a program, so that nothing may be kept of them."""

    def __init__(self, row: Tensor, col: Tensor, values: Tensor, size: int) -> None:
        super().__init__(_Edges(row, col, size), values, _learnable=True)

    def plus_diagonal(self, values: Tensor) -> Operator:
        size = self.shape[0]
        loops = torch.arange(size, device=self.device)
        row, col = torch.cat([self.pattern.row, loops]), torch.cat([self.pattern.col, loops])
        return _Adjacency(row, col, torch.cat([self.values, values]), size)


def _written_down(trained: Trained, given: tuple[Tensor, ...], graph: Operator | None) -> ExportedProgram:
    """The program; nodes and edges may change in number, unless the model is bound to them."""
    fixed = "fixed-nodes" in resolve(trained.model)[0].traits
    bound = graph is not None or fixed or trained.labels is not None
    axes = ({} if bound else {0: Dim.DYNAMIC}, {1: Dim.DYNAMIC}, {0: Dim.DYNAMIC})[: len(given)]
    try:
        with torch.no_grad():
            return torch.export.export(_Program(trained, graph), given, dynamic_shapes=axes, strict=False)
    except Exception as error:  # torch has no common one
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise ExportError(
            f"torch.export cannot write {trained.model!r} down: {reason}.",
            "Pass fixed_graph=True." if graph is None else "Use the checkpoint.",
        ) from error
