package import ModelKitModels
package import ModelKitStores

/// What differs between databases where a filter becomes a condition in SQL.
///
/// What gives nil is left for us to test.
package protocol SQLDialect {
    associatedtype Table: SQLTable
    /// What a parameter is bound to.
    associatedtype Parameter
    typealias Column = Table.Column
    typealias Condition = SQLCondition<Self>

    static var yes: String { get }
    static var no: String { get }
    /// How many parameters a condition may have, but for a few.
    static var mostParameters: Int { get }
    /// How a parameter is written, the first of which is 1.
    static func placeholder(_ number: Int) -> String

    /// How a value compares with those of a column.
    func operand(
        _ value: AttributeValue,
        _ comparison: RecordFilter.Comparison,
        for column: Column
    ) -> SQLOperand<Parameter>
    /// What a value is compared with where rows are sorted by `sortable`; nil for null.
    func sortOperand(_ value: AttributeValue, for column: Column) -> Parameter?
    /// What an identifier is compared with where rows are sorted by `precedence`.
    func precedence(of identifier: Identifier, in table: Table) -> Parameter

    /// Whether the value is one of some operands.
    func isIn(_ column: Column, _ operands: [Parameter], _ condition: inout Condition) -> String?
    /// Whether an array has an element that equals a value.
    func contains(
        _ column: Column,
        _ value: AttributeValue,
        _ condition: inout Condition
    ) -> String?
    /// Whether an array has one of several, if there is a way that is quicker than one after the other.
    func containsAny(
        _ column: Column,
        _ values: [AttributeValue],
        _ condition: inout Condition
    ) -> String?
    /// Whether a text, in a column that may have some, has another at a place.
    func has(
        _ text: String,
        at place: SQLTextPlace,
        _ column: Column,
        _ condition: inout Condition
    ) -> String?
    /// Whether a column has an identifier that may be one of another table's.
    func isKey(_ column: Column, of other: Table) -> String?
    /// Whether it is the identifier of a row that fulfils a condition.
    func leads(_ column: Column, to other: Table, where condition: String) -> String
    /// Whether it is the identifier of a row, by the index of those; never unknown.
    func exists(_ column: Column, in other: Table) -> String?
}

/// Where a text has another.
package enum SQLTextPlace { case start, end, anywhere }

/// How a value compares with those of a column.
package enum SQLOperand<Parameter> {
    /// They do not.
    case incomparable
    /// SQL does not answer exactly.
    case inexact
    /// By a comparison with a parameter that says the same.
    ///
    /// A column of any kind has to pass the test to hold something that compares with it; nil of others, which do.
    case parameter(Parameter, RecordFilter.Comparison, test: String?)
}

extension RecordFilter.Comparison {
    package var sql: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension String {
    /// A text that comes after all that start with this one, and before all others that come after it;
    /// nil if there is none.
    package var next: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(value) else { continue }
            return String(String.UnicodeScalarView(scalars + [scalar]))
        }
        return nil
    }
}
