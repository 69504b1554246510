from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import allpass


def run(code: str) -> str:
    """The output of ``code`` in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = run("""
        import sys
        import allpass
        names = "torch numpy scipy pandas sklearn networkx matplotlib torch_geometric typer rich"
        print([name for name in names.split() if name in sys.modules])
    """)
    assert heavy == "[]"


def test_names_are_resolved_on_first_use_and_the_rooms_need_none_of_the_other_packages() -> None:
    # Jinja2 is not hidden: torch-geometric itself needs it. The rooms of report and papers load others to draw.
    module, count = run("""
        import sys

        class Without:
            # A finder that does not see some packages, as if they were not installed.

            names = {"pandas", "typer", "rich", "pooch", "matplotlib", "pyarrow"}

            def __init__(self, finder):
                self.finder = finder

            def __getattr__(self, name):
                return getattr(self.finder, name)

            def find_spec(self, name, path=None, target=None):
                hidden = name.split(".")[0] in self.names
                return None if hidden else self.finder.find_spec(name, path, target)

        sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
        import importlib
        import pkgutil
        import allpass

        print(allpass.Operator.__module__)
        count = 0
        rooms = "errors registry graph metrics data nn models kge testing train rl report papers"
        for room in rooms.split():
            module = importlib.import_module(f"allpass.{room}")
            count += 1
            for part in pkgutil.walk_packages(getattr(module, "__path__", []), f"allpass.{room}."):
                importlib.import_module(part.name)
                count += 1
        assert not Without.names & set(sys.modules)
        print(count)
    """).split()
    assert module == "allpass.graph.operator"
    assert int(count) > 10


def test_every_name_is_there() -> None:
    assert set(allpass.__all__) == set(dir(allpass))
    for name in ("Operator", "graph", "errors"):
        assert getattr(allpass, name) is not None


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import allpass.train.compare, allpass.train.sweep, allpass.train.fit, allpass.metrics.profile",
        "from allpass.train.compare import Comparison",
        "from allpass.train.sweep import Sweep",
        "from allpass.cli.sweep import sweep",
        "import importlib; importlib.import_module('allpass.train.compare')",
        "import allpass.train.executors.processes, allpass.diagnosis.diagnose",
    ],
)
def test_the_functions_are_functions_whatever_was_imported_before(before: str) -> None:
    # Modules of the same names hold them: allpass/train/compare.py, allpass/train/sweep.py, ...
    assert (
        run(f"""
        {before}
        import allpass
        from allpass import compare, create, diagnose, fit, load, load_checkpoint, profile, sweep
        from allpass.train import compare as compared, fit as fitted, load as read, sweep as swept
        names = "compare create diagnose fit load load_checkpoint profile sweep".split()
        assert all(type(getattr(allpass, name)).__name__ == "function" for name in names)
        assert (compare, fit, load_checkpoint, sweep) == (compared, fitted, read, swept)
        assert {{create.__module__, profile.__module__}} == {{"allpass.models.catalog", "allpass.metrics.profile"}}
        print("good")
    """)
        == "good"
    )


def test_the_package_runs_as_the_command() -> None:
    asked = [sys.executable, "-m", "allpass", "--version"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=300, check=False)
    assert allpass.__version__ in done.stdout, done.stderr
    asked[-1] = "no-such-verb"
    done = subprocess.run(asked, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode != 0
    assert "no-such-verb" in done.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'operatr'"):
        _ = allpass.operatr


def test_the_version_is_that_of_the_installed_package() -> None:
    from importlib.metadata import version

    assert version("allpass") == allpass.__version__
