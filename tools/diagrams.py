"""The architecture diagrams of the documentation: ``python -m tools.diagrams`` draws them into docs/images."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

from allpass.files import write_whole
from tools.blocks import ROOT
from tools.drawing import EXTRA, HIGH, INK, LOW, OWN, Box, Drawing, across, down, spoke

IMAGES = ROOT / "docs" / "images"


def acm_layer() -> Drawing:
    """The three steps of an ACM layer."""
    d = Drawing(
        "An ACM layer",
        "Features H go through four channels: low-pass, high-pass, identity, and optionally structure. Each is "
        "multiplied by its weights, filtered and rectified. A score of each channel gives, by a softmax, the mixing "
        "weights of every node; the output is the weighted sum of the channels.",
    )
    H = d.box(170, 0, "H", width=46)
    A = d.box(405, 0, "A", width=46, colour=EXTRA, dashed=True)
    scores = d.box(630, 262, "s_c = σ(H_c w_c)", "α = softmax(s W_{mix} / T)", width=200)
    total = d.box(170, 415, "Σ", round_=True)
    for x, mark, name, filter_, colour in (
        (50, "L", "low-pass", "Â ·", LOW),
        (170, "H", "high-pass", "(I − Â) ·", HIGH),
        (290, "I", "identity", "", OWN),
        (405, "A", "structure", "", EXTRA),
    ):
        dashed = mark == "A"
        weight = d.box(x, 68, f"· W_{mark}", colour=colour, width=84, dashed=dashed)
        d.arrow(*down(A if dashed else H, weight), colour=colour, dashed=dashed)
        above = weight
        if filter_:
            above = d.box(x, 114, filter_, colour=colour, width=84)
            d.arrow(weight.bottom, above.top, colour=colour)
        rectified = d.box(x, 160, "ReLU", colour=colour, width=84, dashed=dashed)
        d.arrow(above.bottom, rectified.top, colour=colour, dashed=dashed)
        channel = d.box(x, 214, name, f"H_{mark}", colour=colour, width=84, dashed=dashed)
        d.arrow(rectified.bottom, channel.top, colour=colour, dashed=dashed)
        times = d.box(x, 345, "×", round_=True, colour=colour, dashed=dashed)
        d.arrow(channel.bottom, times.top, colour=colour, dashed=dashed)
        d.dot(x, scores.y, colour, radius=3)
        d.arrow((x, scores.y), scores.left, head=dashed)
        turn = x + 28
        d.arrow(scores.bottom, (scores.x, 304), (turn, 304), (turn, 345), times.right, dashed=dashed)
        d.text(turn + 5, 326, f"α_{mark}", anchor="start", size=13)
        d.arrow(times.bottom, (x, 380), (total.x, 380), total.top, head=x == total.x, dashed=dashed)
    d.arrow(*down(total, d.box(170, 470, "H'", width=46)))
    for y, words in (
        (114, "step 1: filter"),
        (214, "step 2: score the channels"),
        (345, "step 3: mix, node by node"),
    ):
        d.text(530, y, words, anchor="start", size=13)
    return d


def acm_network() -> Drawing:
    """ACM-GCN++: two layers and a residual from the features."""
    d = Drawing(
        "ACM-GCN, ACM-GCN+ and ACM-GCN++",
        "Features pass dropout, an ACM layer, ReLU, dropout and a second ACM layer. ACM-GCN+ gives both layers the "
        "adjacency as a structure channel. ACM-GCN++ adds a linear map of the features before the second layer.",
    )
    row = [
        d.box(0, 60, "X", width=40),
        d.box(95, 60, "dropout", round_=True),
        d.box(205, 60, "ACM", colour=LOW),
        d.box(320, 60, "ReLU, dropout", round_=True),
        d.box(430, 60, "+", colour=OWN, round_=True),
        d.box(510, 60, "ACM", colour=LOW),
        d.box(600, 60, "logits"),
    ]
    _chain(d, row)
    residual = d.box(250, 0, "dropout(ReLU(· W_X + b))", colour=OWN, dashed=True, round_=True)
    d.arrow((150, 60), (150, 0), residual.left, colour=OWN, dashed=True)
    d.arrow(residual.right, (row[4].x, 0), row[4].top, colour=OWN, dashed=True)
    d.text(row[4].x + 8, 8, "R, in ++ only", anchor="start", colour=OWN, size=12)
    A = d.box(358, 125, "A", colour=EXTRA, width=40, dashed=True)
    for layer in (row[2], row[5]):
        d.arrow(
            (A.left if layer is row[2] else A.right), (layer.x, A.y), layer.bottom, colour=EXTRA, dashed=True
        )
    d.text(358, 152, "structure channel, in + and ++", colour=EXTRA, size=12)
    return d


def snowball() -> Drawing:
    """The snowball network (report, figure 2a)."""
    d = Drawing(
        "The snowball network",
        "The first layer reads the features X. Every further layer reads X and the outputs of all layers before it, "
        "so the stack that is read grows by one block a layer. The last layer reads the whole stack.",
    )
    names = ("X", "H_1", "H_2", "H_3")
    colours = (INK, LOW, EXTRA, HIGH)
    step = 150
    for stage in range(4):
        blocks = [
            d.box(stage * step, 150 - 34 * level, names[level], colour=colours[level], width=54, height=28)
            for level in range(stage + 1)
        ]
        d.text(stage * step, 182, ("X", "[X, H_1]", "[X, H_1, H_2]", "[X, H_1, H_2, H_3]")[stage], size=12)
        right = blocks[0].right[0] + 7
        top, bottom = blocks[-1].top[1], blocks[0].bottom[1]
        d.arrow((right, top), (right + 6, top), (right + 6, bottom), (right, bottom), head=False)
        middle, end = (top + bottom) / 2, stage * step + step - 31
        if stage < 3:
            target = 150 - 34 * (stage + 1)
            turn = end - 14
            d.arrow((right + 6, middle), (turn, middle), (turn, target), (end, target))
            d.text((right + turn) / 2 + 4, middle - 11, f"f(Â · W_{stage})", size=12)
        else:
            d.arrow((right + 6, middle), (end + 4, middle))
            d.text((right + end) / 2 + 4, middle - 11, "Â^p · W_C", size=12)
            d.box(end + 31, middle, "Y", width=54, height=28)
    return d


def krylov() -> Drawing:
    """A truncated block Krylov layer (report, figure 2b)."""
    d = Drawing(
        "A truncated block Krylov layer",
        "From H the blocks H, Â H, Â squared H, up to the power m minus 1 are computed one from the other. They stand "
        "side by side, and one weight matrix and one activation make the next H of all of them.",
    )
    blocks = [
        d.box(0, 0, "H_l", colour=LOW, width=66),
        d.box(130, 0, "Â H_l", colour=LOW, width=66),
        d.box(260, 0, "Â^2 H_l", colour=LOW, width=66),
        d.box(390, 0, "…", width=44),
        d.box(520, 0, "Â^{m−1} H_l", colour=LOW, width=88),
    ]
    for first, second in pairwise(blocks):
        d.arrow(first.right, second.left, label="Â ·")
    joint = d.box(266, 62, "[H_l, Â H_l, …, Â^{m−1} H_l] · W_l + b_l", colour=EXTRA, width=598)
    for block in blocks:
        d.arrow(*down(block, joint))
    f = d.box(266, 116, "f", round_=True)
    d.arrow(*down(joint, f))
    d.arrow(*down(f, d.box(266, 170, "H_{l+1}", colour=LOW, width=66)))
    d.text(296, 116, "tanh, ReLU, or none", anchor="start", size=12)
    d.text(311, 170, "after n such layers: Y = Â^p H_n W_C", anchor="start", size=12)
    return d


def gcnii() -> Drawing:
    """GCNII: every layer adds the first features again."""
    d = Drawing(
        "GCNII",
        "A linear map and ReLU make the first hidden features. Every layer averages, adds a share alpha of the first "
        "hidden features, and multiplies by a matrix that is nearer to the identity the deeper the layer is.",
    )
    X = d.box(0, 60, "X", width=40)
    H = d.box(95, 60, "H_0", colour=OWN, width=54)
    layers = [
        d.box(190 + 120 * n, 60, name, colour=LOW, width=80) for n, name in enumerate(("layer 1", "layer 2"))
    ]
    dots = d.box(415, 60, "…", width=40)
    last = d.box(510, 60, "layer n", colour=LOW, width=80)
    Y = d.box(610, 60, "Y", width=40)
    _chain(d, [X, H, *layers, dots, last, Y])
    for layer in (*layers, last):
        d.arrow((H.x, H.top[1]), (H.x, 8), (layer.x, 8), layer.top, colour=OWN)
    d.text(350, -6, "+ α H_0", colour=OWN, size=13)
    d.text(310, 108, "layer l:  ReLU( ((1 − α) Â H + α H_0) ((1 − β_l) I + β_l W_l) ),  β_l ≈ λ / l", size=13)
    return d


def polynomial() -> Drawing:
    """A perceptron, then a polynomial filter."""
    d = Drawing(
        "Predict, then filter",
        "A perceptron predicts from the features alone. The prediction is multiplied by the matrix S again and again, "
        "and the results, each times a number, are added.",
    )
    X = d.box(0, 0, "X", width=40)
    predict = d.box(85, 0, "MLP", colour=OWN)
    d.arrow(*across(X, predict))
    blocks = [
        d.box(180, 0, "H", colour=LOW, width=56),
        d.box(290, 0, "S H", colour=LOW, width=56),
        d.box(400, 0, "S^2 H", colour=LOW, width=56),
        d.box(490, 0, "…", width=40),
        d.box(590, 0, "S^K H", colour=LOW, width=60),
    ]
    d.arrow(*across(predict, blocks[0]))
    for first, second in pairwise(blocks):
        d.arrow(first.right, second.left, label="S ·")
    total = d.box(400, 150, "Σ", round_=True)
    for block, name in zip(blocks, ("c_0", "c_1", "c_2", "", "c_K"), strict=True):
        if not name:
            continue
        times = d.box(block.x, 60, f"× {name}", colour=HIGH, round_=True)
        d.arrow(block.bottom, times.top)
        d.arrow(times.bottom, (block.x, 105), (total.x, 105), total.top, head=block.x == total.x)
    d.arrow(total.right, d.box(490, 150, "Z", width=46).left)
    return d


def attention() -> Drawing:
    """What three layers do with the neighbours of one node."""
    d = Drawing(
        "One node and its neighbours in GraphSAGE, GAT and FAGCN",
        "GraphSAGE takes the mean of the neighbours and gives the node itself a weight matrix of its own. GAT takes a "
        "mean with positive weights that add up to one. FAGCN adds some neighbours and subtracts others.",
    )
    panels = (
        ("GraphSAGE", "a mean, the node apart", ("1/4", "1/4", "1/4", "1/4"), "W_{self}"),
        ("GAT", "positive weights, their sum is 1", ("0.4", "0.3", "0.1", "0.1"), "0.1"),
        ("FAGCN", "gates from −1 to 1", ("+0.9", "+0.6", "−0.4", "−0.8"), "ε"),
    )
    for number, (name, words, weights, own) in enumerate(panels):
        x = 230 * number
        centre = d.dot(x, 90, INK, 14, "v")
        places = ((x - 70, 35, LOW), (x + 70, 35, LOW), (x - 70, 145, HIGH), (x + 70, 145, HIGH))
        for (px, py, colour), weight in zip(places, weights, strict=True):
            negative = weight.startswith("−")
            size = 0.25 if "/" in weight else float(weight.strip("+−"))
            node = d.dot(px, py, colour, 11)
            d.arrow(
                *spoke(node, centre), colour=HIGH if negative else LOW, dashed=negative, weight=1 + 3 * size
            )
            d.text((px + x) / 2 + (26 if px > x else -26), (py + centre.y) / 2, weight, size=12)
        d.arrow((x - 9, 78), (x - 20, 50), (x + 20, 50), (x + 9, 78), weight=1.2)
        d.text(x, 38, own, size=12)
        d.text(x, 0, name, size=15)
        d.text(x, 178, words, size=12)
    d.text(
        230, 205, "upper neighbours are of v's class, lower ones are not; the numbers are examples", size=12
    )
    return d


def jumping() -> Drawing:
    """Jumping knowledge."""
    d = Drawing(
        "Jumping knowledge",
        "The outputs of all layers go to one module, which puts them side by side, takes the largest of each feature, "
        "or weighs the layers for each node with an LSTM. A linear map of the result gives the logits.",
    )
    row = [d.box(0, 0, "X", width=40)]
    row += [d.box(110 * n, 0, f"H_{n}", colour=LOW, width=54) for n in (1, 2, 3)]
    _chain(d, row, "conv")
    joint = d.box(220, 62, "cat, max or LSTM", colour=EXTRA, width=274)
    for block in row[1:]:
        d.arrow(*down(block, joint))
    Y = d.box(460, 62, "Y", width=40)
    d.arrow(joint.right, Y.left, label="· W + b")
    return d


def mixhop() -> Drawing:
    """MixHop and H2GCN: neighbourhoods side by side."""
    d = Drawing(
        "MixHop and H2GCN",
        "MixHop multiplies the features by weights of their own for each power of the adjacency and puts the results "
        "side by side. H2GCN averages over neighbours at distance one and at distance two exactly, twice, without the "
        "node itself, and puts all rounds side by side.",
    )
    d.text(150, -50, "MixHop layer")
    H = d.box(0, 60, "H", width=40)
    joint = d.box(275, 60, "side by side", colour=EXTRA, width=100, height=140)
    for y, words, colour in ((10, "H W_0", OWN), (60, "Â H W_1", LOW), (110, "Â^2 H W_2", HIGH)):
        block = d.box(130, y, words, colour=colour, width=90)
        d.arrow(*across(H, block))
        d.arrow(block.right, (joint.left[0], y))
    d.text(555, -50, "H2GCN")
    R = [
        d.box(400 + 155 * n, 0, f"R_{n}", colour=colour, width=54)
        for n, colour in enumerate((OWN, LOW, HIGH))
    ]
    for first, second in pairwise(R):
        d.arrow(first.right, second.left, label="[Ā_1 ·, Ā_2 ·]")
    joint = d.box(555, 62, "[R_0, R_1, R_2]", colour=EXTRA, width=364)
    for block in R:
        d.arrow(*down(block, joint))
    d.arrow(*down(joint, d.box(555, 120, "Y", width=40)))
    d.text(567, 91, "· W", anchor="start", size=13)
    d.text(400, -26, "ReLU(X W_E)", size=12, colour=OWN)
    return d


def geom() -> Drawing:
    """Geom-GCN: a node in the plane."""
    d = Drawing(
        "The neighbourhoods of Geom-GCN",
        "A node in the plane, with a cross that divides the plane into four quadrants. Neighbours in the graph are "
        "joined to it by lines; nodes within a circle are neighbours in the plane. Each kind of neighbour has weights "
        "of its own in each quadrant.",
    )
    for x, y in ((150, 0), (-150, 0), (0, 95), (0, -95)):
        d.arrow((x and 12 * x / abs(x), y and 12 * y / abs(y)), (x, y), head=False, weight=0.7)
    d.circle(0, 0, 62, HIGH)
    v = d.dot(0, 0, INK, 12, "v")
    for x, y, colour in (
        (-110, -60, LOW), (120, -55, LOW), (95, 70, LOW), (35, -30, HIGH), (-40, 30, HIGH), (-25, -38, HIGH),
    ):  # fmt: skip
        node = d.dot(x, y, colour, 8)
        if colour == LOW:
            d.arrow(*spoke(node, v), head=False, colour=LOW)
    for y, colour, words in (
        (-60, LOW, "neighbours in the graph, N_g(v): 4 quadrants"),
        (-30, HIGH, "neighbours in the plane, N_s(v): 4 quadrants"),
        (0, INK, "the node itself"),
    ):
        d.dot(205, y, colour, 7)
        d.text(222, y, words, anchor="start", size=13)
    d.text(198, 40, "9 relations, each with weights of its own", anchor="start", size=13)
    return d


def linkx() -> Drawing:
    """LINKX: two perceptrons."""
    d = Drawing(
        "LINKX",
        "A perceptron embeds the rows of the adjacency, another the features. Their outputs, side by side, pass a "
        "linear map; both are added to it again; ReLU and a last perceptron give the logits. Nothing is averaged.",
    )
    A, X = d.box(0, 0, "A", width=40, colour=EXTRA), d.box(0, 90, "X", width=40)
    first = [d.box(105, 0, "MLP_A", colour=EXTRA, width=76), d.box(105, 90, "MLP_X", colour=OWN, width=76)]
    embedded = [d.box(210, 0, "H_A", colour=EXTRA, width=54), d.box(210, 90, "H_X", colour=OWN, width=54)]
    joint = d.box(325, 45, "[H_A, H_X] W + b", width=130)
    total = d.box(445, 45, "+", round_=True)
    for start, middle, end in zip((A, X), first, embedded, strict=True):
        _chain(d, [start, middle, end])
        below = end.y > joint.y
        d.arrow(end.right, (joint.x, end.y), joint.bottom if below else joint.top)
        d.arrow(end.right, (total.x, end.y), total.bottom if below else total.top)
    _chain(
        d,
        [
            joint,
            total,
            d.box(515, 45, "ReLU", round_=True),
            d.box(600, 45, "MLP"),
            d.box(670, 45, "Y", width=40),
        ],
    )
    return d


def cpgnn() -> Drawing:
    """CPGNN: beliefs and a compatibility matrix."""
    d = Drawing(
        "CPGNN",
        "A perceptron gives first beliefs about the class of each node. In every step the beliefs are multiplied by "
        "the compatibility matrix, summed over neighbours, and the first beliefs are added.",
    )
    X = d.box(0, 60, "X", width=40)
    prior = d.box(85, 60, "prior", colour=OWN)
    soft = d.box(195, 60, "softmax − 1/C", round_=True)
    first = d.box(315, 60, "B̄_0", colour=OWN, width=54)
    step = d.box(430, 60, "A · B̄ · H̄", colour=LOW, width=90)
    plus = d.box(535, 60, "+", round_=True)
    out = d.box(610, 60, "B̄_k", colour=LOW, width=54)
    _chain(d, [X, prior, soft, first, step, plus, out])
    d.arrow(first.top, (first.x, 10), (plus.x, 10), plus.top, colour=OWN)
    d.arrow(out.bottom, (out.x, 118), (step.x, 118), step.bottom, colour=LOW)
    d.text(520, 132, "K times; then B̄_K are the logits", size=12)
    d.text(300, 118, "H̄: which class links with which", size=12)
    return d


def adjacency() -> Drawing:
    """A network with an adjacency learner (report, figure 7)."""
    d = Drawing(
        "A network with an adjacency learner",
        "The base embeds the nodes from features X and the adjacency A. Candidates are the given neighbours and k1 "
        "other nodes for each node. Fusion keeps the k2 best of them and mixes them with the given graph. The network "
        "works on the learned graph, and the loss reaches the base through the edge weights.",
    )
    X, A = d.box(0, 0, "X", width=40), d.box(0, 100, "A", width=40, colour=EXTRA)
    base = d.box(110, 0, "base", "h = MLP(X)", colour=OWN, width=110)
    scores = d.box(265, 0, "scores", "s_{ij}, K cosines", colour=OWN, width=130)
    chosen = d.box(265, 100, "candidates", "given ∪ k_1 others", colour=EXTRA, width=150)
    fusion = d.box(445, 50, "fusion", "keep k_2, mix with A", colour=HIGH, width=160)
    network = d.box(620, 50, "network", "on A'", colour=LOW, width=90)
    Y = d.box(720, 50, "Y", width=40)
    _chain(d, [X, base, scores])
    d.arrow(*across(A, chosen), colour=EXTRA)
    d.arrow(*down(scores, chosen), colour=OWN, dashed=True)
    d.text(272, 52, "every few epochs", anchor="start", size=12)
    d.arrow(scores.right, (fusion.x, 0), fusion.top, colour=OWN)
    d.arrow(chosen.right, (fusion.x, 100), fusion.bottom, colour=EXTRA)
    _chain(d, [fusion, network, Y])
    d.arrow(Y.top, (Y.x, -50), (base.x, -50), base.top, colour=HIGH, dashed=True)
    d.text(415, -62, "loss: end to end", colour=HIGH, size=12)
    d.arrow(X.bottom, (X.x, 50), (50, 50), (50, 150), (network.x, 150), network.bottom)
    return d


DIAGRAMS: tuple[Callable[[], Drawing], ...] = (
    acm_layer, acm_network, snowball, krylov, gcnii, polynomial, attention, jumping, mixhop, geom, linkx, cpgnn,
    adjacency,
)  # fmt: skip


def _chain(d: Drawing, boxes: list[Box], label: str = "") -> None:
    for first, second in pairwise(boxes):
        d.arrow(*across(first, second), label=label)


def draw(folder: Path = IMAGES, diagrams: Iterable[Callable[[], Drawing]] = DIAGRAMS) -> list[Path]:
    """Draw diagrams into a folder, each under its own name; returns the paths."""
    paths = []
    for make in diagrams:
        path = folder / f"{make.__name__}.svg"
        write_whole(path, make().svg().encode())
        paths.append(path)
    return paths


if __name__ == "__main__":
    for drawn in draw():
        print(drawn.relative_to(ROOT))
