import ModelKitFields
import ModelKitModels

/// The rows of one owner, found by what they have in some of their columns.
struct SQLiteOwnedRows {
    /// A row with its values as SQLite holds them, nil for what cannot be read.
    typealias Row = (order: Int64, values: [AttributeValue?])

    /// The owner's `_order`.
    let owner: Int64
    private let rows: [Row]
    /// The orders of the rows by their values in some columns, the first row last.
    private var found: [[Int]: [[AttributeValue]: [Int64]]] = [:]

    init(of owner: Int64, _ rows: [Row]) {
        self.owner = owner
        self.rows = rows
    }

    /// Takes the first row that has the values in the columns of these numbers, and that was not taken before.
    ///
    /// - Returns: Its order; nil if there is none.
    mutating func take(_ columns: [Int], _ values: [AttributeValue]) -> Int64? {
        if found[columns] == nil {
            var orders: [[AttributeValue]: [Int64]] = [:]
            for row in rows.reversed() {
                let held = columns.compactMap { row.values[$0]?.asNumbersCompare }
                if held.count == columns.count { orders[held, default: []].append(row.order) }
            }
            found[columns] = orders
        }
        return found[columns]?[values.map(\.asNumbersCompare)]?.popLast()
    }
}

extension AttributeValue {
    /// A whole number as an integer, as SQLite compares numbers by value.
    fileprivate var asNumbersCompare: AttributeValue {
        if case .double(let number) = self, let whole = Int64(exactly: number) {
            return .int(whole)
        }
        return self
    }
}

extension SQLiteStatement {
    /// The value as SQLite holds it; nil for text that cannot be read.
    func readableValue(at index: Int) throws -> AttributeValue? {
        do {
            return try value(at: index)
        } catch let error as SQLiteError where error.kind == .mismatch {
            return nil
        }
    }
}

extension SQLiteConnection {
    /// A value as a column holds it; nil for one that it cannot hold.
    func held(_ value: AttributeValue, in column: SQLiteTableColumn) throws -> AttributeValue? {
        guard let kind = column.kind(for: value) else { return nil }
        return try withStatement("SELECT ?1") { statement in
            do {
                try SQLiteColumn.bind(value, as: kind, to: statement, at: 1)
            } catch let error as SQLiteError where error.kind == .mismatch {
                return nil
            } catch is ImportError {
                return nil
            }
            return try statement.step() ? statement.value(at: 0) : nil
        }
    }
}
