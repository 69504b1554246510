"""Figures, tables and the HTML page of a diagnosis. Nothing below this room draws."""

from allpass.files import check_writable
from allpass.report.canvas import save
from allpass.report.page import render, write_page
from allpass.report.tables import markdown_table, metric_rows

__all__ = ["check_writable", "markdown_table", "metric_rows", "render", "save", "write_page"]
