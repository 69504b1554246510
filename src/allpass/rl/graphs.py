"""A process as a graph of PyG or NetworkX, and back: edges go from state to next state, values flow against them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

from allpass.errors import InputError
from allpass.rl.mdp import TabularMDP


def to_data(mdp: TabularMDP) -> Data:
    """A PyG ``Data`` with an edge for each transition: ``edge_index`` from s to s', ``edge_weight`` its probability.

    ``action`` and ``reward`` are numbers of edges; ``start`` ``[S]`` and ``mask`` ``[S, A]`` are numbers of states.
    """
    row = _rows(mdp)
    state, action = np.divmod(row, mdp.num_actions)
    data = Data(
        edge_index=torch.from_numpy(np.stack([state, mdp.P.indices]).astype(np.int64)),
        edge_weight=torch.from_numpy(mdp.P.data.copy()),
        action=torch.from_numpy(action.astype(np.int64)),
        reward=torch.from_numpy(mdp.edge_rewards()),
        start=torch.from_numpy(mdp.start.copy()),
        mask=torch.from_numpy(mdp.mask.copy()),
        num_nodes=mdp.num_states,
        discount=mdp.discount,
    )
    for name, values in (("state_names", mdp.states), ("action_names", mdp.actions)):
        if values is not None:
            data[name] = list(values)
    if mdp.positions is not None:
        data.pos = torch.from_numpy(mdp.positions.copy())
    return data


def from_data(data: Any, discount: float | None = None) -> TabularMDP:
    """The process of a graph such as :func:`to_data` makes.

    Args:
        data: ``edge_index`` from s to s'; ``edge_weight``, probabilities, by default 1; ``action``, by default 0; and
            ``reward``, by default 0, of edges. Pairs of state and action without an edge are not allowed.
        discount: By default the graph's own, or 0.99.
    """
    if getattr(data, "edge_index", None) is None:
        raise InputError(f"Got {type(data).__name__} without edges.", "Expected a Data with edge_index.")
    state, after = data.edge_index.numpy()
    E = len(state)
    action = _edges(data, "action", E, 0).astype(np.int64)
    mask = getattr(data, "mask", None)
    A = mask.shape[1] if mask is not None else int(action.max(initial=0)) + 1
    return from_edges(
        state,
        action,
        after,
        _edges(data, "edge_weight", E, 1.0),
        _edges(data, "reward", E, 0.0),
        num_states=int(data.num_nodes),
        num_actions=A,
        discount=discount if discount is not None else float(getattr(data, "discount", None) or 0.99),
        start=None if getattr(data, "start", None) is None else data.start.numpy(),
        states=getattr(data, "state_names", None),
        actions=getattr(data, "action_names", None),
        positions=None if getattr(data, "pos", None) is None else data.pos.numpy(),
    )


def to_networkx(mdp: TabularMDP) -> nx.MultiDiGraph:
    """A NetworkX graph with the names of states as nodes and an edge for each transition, keyed by its action.

    Edges have ``probability``, ``reward`` and ``action``; nodes have ``start``; the graph keeps the order of actions.
    """
    states = list(range(mdp.num_states)) if mdp.states is None else mdp.states
    actions = list(range(mdp.num_actions)) if mdp.actions is None else mdp.actions
    graph = nx.MultiDiGraph(discount=mdp.discount, actions=list(actions))
    graph.add_nodes_from(
        (name, {"start": float(chance)}) for name, chance in zip(states, mdp.start, strict=True)
    )
    columns = (_rows(mdp).tolist(), mdp.P.indices.tolist(), mdp.P.data.tolist(), mdp.edge_rewards().tolist())
    for row, after, chance, reward in zip(*columns, strict=True):
        state, action = divmod(row, mdp.num_actions)
        name = actions[action]
        graph.add_edge(states[state], states[after], key=name, action=name, probability=chance, reward=reward)
    return graph


def from_networkx(graph: Any, discount: float | None = None) -> TabularMDP:
    """The process of a NetworkX graph, directed, whose edges have ``probability``, ``action`` and ``reward``.

    Args:
        graph: A ``DiGraph`` or ``MultiDiGraph``. Without ``action`` an edge belongs to the one action 0, without
            ``probability`` it is certain, without ``reward`` it gives 0.
        discount: By default the graph's own, or 0.99.
    """
    if not isinstance(graph, nx.DiGraph):
        raise InputError(
            f"Got {type(graph).__name__}.", "Expected a DiGraph or MultiDiGraph: steps have a direction."
        )
    states, edges = list(graph.nodes), list(graph.edges(data=True))
    number = {name: place for place, name in enumerate(states)}
    used = {attributes.get("action", 0) for _, _, attributes in edges}
    known = graph.graph.get("actions")
    known = list(known) if isinstance(known, (list, tuple)) else []
    actions = known + sorted(used.difference(known), key=str)
    code = {name: place for place, name in enumerate(actions)}
    starts = [graph.nodes[name].get("start", 0.0) for name in states]
    return from_edges(
        np.array([number[u] for u, _, _ in edges], dtype=np.int64),
        np.array([code[attributes.get("action", 0)] for _, _, attributes in edges], dtype=np.int64),
        np.array([number[v] for _, v, _ in edges], dtype=np.int64),
        np.array([attributes.get("probability", 1.0) for _, _, attributes in edges], dtype=np.float64),
        np.array([attributes.get("reward", 0.0) for _, _, attributes in edges], dtype=np.float64),
        num_states=len(states),
        num_actions=max(len(actions), 1),
        discount=discount if discount is not None else graph.graph.get("discount", 0.99),
        start=starts if any(starts) else None,
        states=None if states == list(range(len(states))) else states,
        actions=None if actions == list(range(len(actions))) else actions,
    )


def from_edges(
    state: Any,
    action: Any,
    after: Any,
    probability: Any,
    reward: Any,
    *,
    num_states: int,
    num_actions: int,
    discount: float,
    **options: Any,
) -> TabularMDP:
    """The process of a list of transitions; pairs without one are not allowed, states without one stay as they are."""
    row = np.asarray(state) * num_actions + action
    allowed = np.zeros(num_states * num_actions, dtype=bool)
    allowed[row] = True
    last = np.flatnonzero(~allowed.reshape(num_states, num_actions).any(axis=1))
    loops = (last[:, None] * num_actions + np.arange(num_actions)).ravel()
    allowed[loops] = True
    row, after = np.append(row, loops), np.append(after, np.repeat(last, num_actions))
    chance = np.append(probability, np.ones(len(loops)))
    shape = (num_states * num_actions, num_states)
    P = sp.csr_array((chance, (row, after)), shape=shape)
    earned = sp.csr_array((chance * np.append(reward, np.zeros(len(loops))), (row, after)), shape=shape)
    for table in (P, earned):
        table.sum_duplicates()
    rewards = sp.csr_array((earned.data / np.where(P.data == 0, 1, P.data), P.indices, P.indptr), shape=shape)
    mask = allowed.reshape(num_states, num_actions)
    return TabularMDP(P, rewards, discount, mask=mask, **options)


def _rows(mdp: TabularMDP) -> Any:
    return np.repeat(np.arange(mdp.P.shape[0]), np.diff(mdp.P.indptr))


def _edges(data: Any, name: str, count: int, default: float) -> Any:
    values = getattr(data, name, None)
    if values is None:
        return np.full(count, default)
    if len(values) != count:
        raise InputError(f"Got {name} of length {len(values)} for {count} edges.", "Expected one per edge.")
    return values.numpy()
