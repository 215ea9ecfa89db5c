import ModelKitModels
import ModelKitStores

extension SQLiteQuery {
    /// What the rows make together: one pass over the columns that are asked for, unless SQLite cannot judge the
    /// whole filter.
    func totals(_ aggregate: RecordAggregate) throws -> RecordTotals {
        if rest.isEmpty {
            do {
                return try columnTotals(aggregate)
            } catch  where error.isDamage {
                // The error of a row that is read whole says which it is.
            }
        }
        var totals = RecordTotals(aggregate, of: table.schema)
        for record in try records() { totals.add(record) }
        return totals
    }

    private func columnTotals(_ aggregate: RecordAggregate) throws -> RecordTotals {
        var totals = RecordTotals(aggregate, of: table.schema)
        let group = aggregate.groupKey.flatMap(table.column)
        guard let column = aggregate.key.flatMap(table.column) else {
            try run("count(*)", by: group) { select, group in
                totals.add(.null, of: Int(select.int64(at: 0)), to: group)
            }
            return totals
        }
        // To make the keys by which SQLite compares texts of numbers is more work than to compare them here.
        let isFound = !column.kind.holdsNumberTexts || column.entry.isIndexed && group == nil
        var isSum = false
        switch aggregate.function {
        case .minimum where isFound, .maximum where isFound:
            let function = aggregate.function == .minimum(column.key) ? "min" : "max"
            let value = "\(function)(\(column.sortable))"
            // Beside it SQLite has the other columns of the row that it is found in.
            let columns = column.sortable == column.sql ? value : "\(column.sql), \(value)"
            try run(columns, by: group) { select, group in
                totals.add(try select.value(at: 0, as: column.kind), to: group)
            }
            return totals
        case .sum, .average:
            isSum = true
            if column.kind == .int || column.kind == .double, connection.handle.hasSums,
                let sums = try sums(aggregate, column, group)
            {
                return sums
            }
        default: break
        }
        try run(column.sql, by: group, isGrouped: false) { select, group in
            if isSum, column.kind == .decimal, select.type(at: 0) == .text {
                let isNumber = try select.withText(at: 0) { totals.add(digits: $0, to: group) }
                if !isNumber { throw ColumnDamage(reason: "is no number") }
            } else {
                totals.add(try select.value(at: 0, as: column.kind), to: group)
            }
        }
        return totals
    }

    /// The sums of integers or doubles by SQLite; nil where one is beyond `Int64`, perhaps only on the way, or where
    /// something else was added.
    private func sums(
        _ aggregate: RecordAggregate,
        _ column: SQLiteColumn,
        _ group: SQLiteColumn?
    ) throws -> RecordTotals? {
        var totals = RecordTotals(aggregate, of: table.schema)
        let areIntegers = column.kind == .int
        var isFitting = true
        try run("\(SQLiteSum.function)(\(column.sql))", by: group) { select, group in
            guard let sum = SQLiteSum(try select.data(at: 0)),
                sum.count == (areIntegers ? sum.integerCount : sum.doubleCount)
            else { return isFitting = false }
            if sum.count == 0 {
                totals.add(.null, to: group)
            } else if areIntegers {
                totals.add(.int(sum.integers), of: sum.count, to: group)
            } else {
                totals.add(.double(sum.sum), of: sum.count, to: group)
                totals.add(.double(sum.lost), of: 0, to: group)
            }
        }
        return isFitting ? totals : nil
    }

    /// Runs a statement for some columns, and calls the closure with its rows and the group of each.
    private func run(
        _ columns: String,
        by group: SQLiteColumn?,
        isGrouped: Bool = true,
        _ take: (SQLiteStatement, AttributeValue?) throws -> Void
    ) throws {
        let plan = try plan()
        var (terms, source) = (terms, table.name)
        if plan.searched.count == 1 {
            let (term, rows) = plan.searched[0]
            (terms[term], source) = (rows.match, rows.source)
        } else {
            for (term, rows) in plan.searched { terms[term] = rows.search }
        }
        var sql = "SELECT \(columns)\(group.map { ", \($0.sql)" } ?? "") FROM \(source)"
        if !terms.isEmpty { sql += " WHERE " + terms.joined(separator: " AND ") }
        if isGrouped, let group {
            // An integer and a double are two, also where they are equal.
            let kind = group.kind == .any ? "typeof(\(group.sql)), " : ""
            sql += " GROUP BY \(kind)\(group.sql)"
        }
        try connection.withStatement(sql) { select in
            try select.bind(condition.parameters)
            let last = select.columnCount - 1
            while try select.step() {
                try take(select, group.map { try select.value(at: last, as: $0.kind) })
            }
        }
    }
}

extension Error {
    /// Whether a column holds what its field cannot.
    fileprivate var isDamage: Bool {
        self is ColumnDamage || (self as? SQLiteError)?.kind == .mismatch
    }
}
