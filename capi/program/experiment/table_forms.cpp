// A table as Markdown, CSV and JSON.
#include <algorithm>
#include <cmath>

#include "capi/program/experiment/table.h"

namespace contrastive::cli {
namespace {

bool is_best(const Table& table, size_t cell, size_t column) {
  const std::vector<size_t>& best = table.best[column];
  return std::find(best.begin(), best.end(), cell) != best.end();
}

std::string bars_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text)
    escaped += c == '|' ? std::string("\\|") : c == '\n' ? std::string(" ") : std::string(1, c);
  return escaped;
}

std::string figure_text(const ExperimentFile& file, const Table& table, size_t cell,
                        size_t column) {
  const TableCell& line = table.cells[cell];
  const Figure& figure = line.figures[column];
  if (figure.n == 0)
    return line.failed > 0 && line.finished == 0 ? "failed" : figure.values.empty() ? "" : "–";
  std::string text = fixed(figure.mean, file.digits);
  if (is_best(table, cell, column)) text = "**" + text + "**";
  if (std::isfinite(figure.deviation)) text += " ± " + fixed(figure.deviation, file.digits);
  // Where the column has fewer figures than the cell has runs, the number belongs to the figure.
  return figure.n < line.finished ? text + " (" + std::to_string(figure.n) + ")" : text;
}

// What tells the cells apart: the row, and the keys of the grid.
std::vector<std::string> heads_of(const ExperimentFile& file) {
  std::vector<std::string> heads;
  if (!file.rows[0].name.empty()) heads.emplace_back("row");
  for (const Axis& axis : file.grid) heads.push_back(axis.key);
  if (heads.empty()) heads.emplace_back("row");
  return heads;
}
std::vector<std::string> labels_of(const ExperimentFile& file, const Cell& cell) {
  std::vector<std::string> labels;
  if (!file.rows[0].name.empty()) labels.push_back(cell.row);
  for (size_t i = 0; i < file.grid.size(); ++i)
    labels.push_back(i < cell.labels.size() ? cell.labels[i] : "–");
  if (labels.empty()) labels.push_back(cell.name);
  return labels;
}

std::string runs_text(const TableCell& line) {
  std::string text = std::to_string(line.finished);
  if (line.finished + line.failed < line.runs) text += " of " + std::to_string(line.runs);
  return line.failed > 0 ? text + ", " + std::to_string(line.failed) + " failed" : text;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + bars_escaped(cell) + " |";
  return line + "\n";
}
std::string markdown_head(const std::vector<std::string>& heads, size_t texts) {
  std::string line = markdown_line(heads) + "|";
  for (size_t i = 0; i < heads.size(); ++i) line += i < texts ? " --- |" : " ---: |";
  return line + "\n";
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}
std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells)
    line += (&cell == &cells.front() ? "" : ",") + csv_cell(cell);
  return line + "\n";
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
std::string csv_number(double value) { return std::isfinite(value) ? Json(value).dump() : ""; }

// One column of the table with two of the things that tell its cells apart downwards and across.
struct AxisMatrix {
  std::string title, corner;
  size_t column = 0;
  std::vector<std::string> down, across;
  std::vector<size_t> cells;  // [down, across]
};

// The columns that are shown as matrices: those that the file names, or the last one.
std::vector<size_t> matrix_columns(const ExperimentFile& file, const Table& table) {
  std::vector<size_t> columns;
  for (const std::string& name : file.matrix) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), name);
    if (found != table.columns.end())
      columns.push_back(static_cast<size_t>(found - table.columns.begin()));
  }
  if (file.matrix.empty() && !table.columns.empty()) columns.push_back(table.columns.size() - 1);
  return columns;
}

// The cells of one row of the file, which hold the grid in order; none for a row outside it.
void add_cells(std::vector<size_t>& cells, const Table& table, const RowSpec& row) {
  for (size_t i = 0; i < table.cells.size(); ++i) {
    if (table.cells[i].cell->row == row.name && !table.cells[i].cell->labels.empty())
      cells.push_back(i);
  }
}

std::vector<std::string> labels_of_axis(const Axis& axis) {
  std::vector<std::string> labels;
  for (const auto& [label, settings] : axis.values) labels.push_back(label);
  return labels;
}

// Two keys of a grid make one for each row; one key and several rows make one; nothing else does.
std::vector<AxisMatrix> matrices_of(const ExperimentFile& file, const Table& table) {
  std::vector<AxisMatrix> matrices;
  for (const size_t column : matrix_columns(file, table)) {
    if (file.grid.size() == 2) {
      for (const RowSpec& row : file.rows) {
        if (!row.in_grid) continue;
        matrices.push_back({table.columns[column] + (row.name.empty() ? "" : ", " + row.name),
                            file.grid[0].key + " \\ " + file.grid[1].key,
                            column,
                            labels_of_axis(file.grid[0]),
                            labels_of_axis(file.grid[1]),
                            {}});
        add_cells(matrices.back().cells, table, row);
      }
    } else if (file.grid.size() == 1 && file.rows.size() > 1) {
      matrices.push_back({table.columns[column],
                          "row \\ " + file.grid[0].key,
                          column,
                          {},
                          labels_of_axis(file.grid[0]),
                          {}});
      for (const RowSpec& row : file.rows) {
        if (!row.in_grid) continue;
        matrices.back().down.push_back(row.name);
        add_cells(matrices.back().cells, table, row);
      }
    }
  }
  return matrices;
}

std::string markdown_matrix(const ExperimentFile& file, const Table& table,
                            const AxisMatrix& matrix) {
  std::vector<std::string> heads = {matrix.corner};
  heads.insert(heads.end(), matrix.across.begin(), matrix.across.end());
  std::string text = "\n" + matrix.title + ":\n\n" + markdown_head(heads, 1);
  size_t at = 0;
  for (const std::string& label : matrix.down) {
    std::vector<std::string> line = {label};
    for (size_t i = 0; i < matrix.across.size(); ++i)
      line.push_back(figure_text(file, table, matrix.cells[at++], matrix.column));
    text += markdown_line(line);
  }
  return text;
}

}  // namespace

std::string markdown_of(const ExperimentFile& file, const Table& table) {
  std::string text = "# " + file.name + "\n\n" + (file.about.empty() ? "" : file.about + "\n\n");
  std::vector<std::string> heads = heads_of(file);
  const size_t texts = heads.size();
  heads.emplace_back("runs");
  heads.insert(heads.end(), table.columns.begin(), table.columns.end());
  text += markdown_head(heads, texts);
  for (size_t i = 0; i < table.cells.size(); ++i) {
    std::vector<std::string> line = labels_of(file, *table.cells[i].cell);
    line.push_back(runs_text(table.cells[i]));
    for (size_t c = 0; c < table.columns.size(); ++c)
      line.push_back(figure_text(file, table, i, c));
    text += markdown_line(line);
  }
  for (const AxisMatrix& matrix : matrices_of(file, table))
    text += markdown_matrix(file, table, matrix);
  text += "\nMean over the runs of a line, one for each seed";
  for (const int64_t seed : file.seeds)
    text += (seed == file.seeds.front() ? " (" : ", ") + std::to_string(seed);
  text += "); behind ± the standard deviation of a sample, where there are two or more. The best "
          "mean of a column is bold, among the "
          "lines whose runs all have the figure.\n";
  for (const TableCell& line : table.cells) {
    for (const std::string& failure : line.failures)
      text += "\nFailed: " + line.cell->name + ", " + failure + "\n";
  }
  return text;
}

std::string csv_of(const ExperimentFile& file, const Table& table) {
  std::vector<std::string> heads = heads_of(file);
  for (const char* name : {"runs", "failed"}) heads.emplace_back(name);
  for (const std::string& column : table.columns) {
    for (const char* what : {" mean", " std", " n"}) heads.push_back(column + what);
  }
  std::string text = csv_line(heads);
  for (const TableCell& line : table.cells) {
    std::vector<std::string> cells = labels_of(file, *line.cell);
    cells.push_back(std::to_string(line.finished));
    cells.push_back(std::to_string(line.failed));
    for (const Figure& figure : line.figures) {
      cells.push_back(csv_number(figure.mean));
      cells.push_back(csv_number(figure.deviation));
      cells.push_back(std::to_string(figure.n));
    }
    text += csv_line(cells);
  }
  return text;
}

Json json_of(const ExperimentFile& file, const Table& table) {
  Json cells = Json::array();
  for (size_t i = 0; i < table.cells.size(); ++i) {
    const TableCell& line = table.cells[i];
    Json grid = Json::object(), figures = Json::object();
    for (size_t k = 0; k < line.cell->labels.size(); ++k)
      grid[file.grid[k].key] = line.cell->labels[k];
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Figure& figure = line.figures[c];
      Json values = Json::array();
      for (const double value : figure.values) values.push_back(number(value));
      figures[table.columns[c]] = {{"mean", number(figure.mean)},
                                   {"std", number(figure.deviation)},
                                   {"n", figure.n},
                                   {"values", values},
                                   {"best", is_best(table, i, c)}};
    }
    cells.push_back({{"row", line.cell->row},
                     {"grid", grid},
                     {"runs", line.runs},
                     {"finished", line.finished},
                     {"failed", line.failed},
                     {"failures", line.failures},
                     {"figures", figures}});
  }
  return {{"name", file.name},
          {"seeds", file.seeds},
          {"digits", file.digits},
          {"columns", table.columns},
          {"cells", cells}};
}

std::string matrix_csv_of(const ExperimentFile& file, const Table& table) {
  std::string text;
  for (const AxisMatrix& matrix : matrices_of(file, table)) {
    std::vector<std::string> heads = {matrix.title + ": " + matrix.corner};
    heads.insert(heads.end(), matrix.across.begin(), matrix.across.end());
    text += csv_line(heads);
    size_t at = 0;
    for (const std::string& label : matrix.down) {
      std::vector<std::string> line = {label};
      for (size_t i = 0; i < matrix.across.size(); ++i)
        line.push_back(csv_number(table.cells[matrix.cells[at++]].figures[matrix.column].mean));
      text += csv_line(line);
    }
  }
  return text;
}

}  // namespace contrastive::cli
