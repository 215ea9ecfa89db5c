import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLDialect {
    typealias Operand = SQLOperand<PostgreSQLParameter>
    typealias Comparison = RecordFilter.Comparison

    func operand(
        _ value: AttributeValue,
        _ comparison: Comparison,
        for column: PostgreSQLColumn
    ) -> Operand {
        if column.holdsKeyTexts { return key(value, comparison, column) }
        switch (column.stored, value) {
        case (.bool, .bool), (.int, .int), (.data, .data): break
        case (.double, .double(let number)): if number.isNaN { return .incomparable }
        case (.int, .double(let number)):
            return number.isNaN ? .incomparable : whole(number, comparison)
        case (.double, .int(let number)): return double(number, comparison)
        case (.string, .string(let text)):
            return self.text(text, after: "", comparison, test: nil)
        case (.date, .date(let date)):
            return .parameter(Self.date(date), comparison, test: nil)
        case (.decimal, _), (.unsigned, _): return number(value, comparison)
        case (.uuid, .string(let text)): return uuid(text, comparison)
        case (.any, _): return variant(value, comparison, column)
        default: return .incomparable
        }
        return .parameter(PostgreSQLParameter(value, as: column.stored), comparison, test: nil)
    }

    // MARK: Numbers

    /// A double beside integers.
    private func whole(_ number: Double, _ comparison: Comparison) -> Operand {
        func operand(_ number: Int64, _ comparison: Comparison) -> Operand {
            .parameter(PostgreSQLParameter(.int(number), as: .int), comparison, test: nil)
        }
        if let exact = Int64(exactly: number) { return operand(exact, comparison) }
        let below = number.rounded(.down)
        return Self.between(
            comparison,
            // Beyond the integers each is on the same side.
            low: below < -0x1p63 ? nil : Int64(exactly: below) ?? .max,
            high: below < -0x1p63 ? .min : Int64(exactly: below).map { $0 + 1 },
            least: .min,
            operand
        )
    }

    /// An integer beside doubles.
    private func double(_ number: Int64, _ comparison: Comparison) -> Operand {
        func operand(_ number: Double, _ comparison: Comparison) -> Operand {
            .parameter(PostgreSQLParameter(.double(number), as: .double), comparison, test: nil)
        }
        let near = Double(number)
        if Int64(exactly: near) == number { return operand(near, comparison) }
        let isAbove = Int64(exactly: near).map { $0 > number } ?? true
        return Self.between(
            comparison,
            low: isAbove ? near.nextDown : near,
            high: isAbove ? near : near.nextUp,
            least: -.infinity,
            operand
        )
    }

    /// A comparison with what is between two values that follow each other.
    ///
    /// - Parameters:
    ///   - comparison: How it is compared.
    ///   - low: The value below; nil if all are above.
    ///   - high: The value above; nil if all are below.
    ///   - least: What no value is less than.
    ///   - operand: Makes the operand.
    /// - Returns: The operand.
    private static func between<Number>(
        _ comparison: Comparison,
        low: Number?,
        high: Number?,
        least: Number,
        _ operand: (Number, Comparison) -> Operand
    ) -> Operand {
        switch comparison {
        case .less, .lessOrEqual:
            if let low { return operand(low, .lessOrEqual) }
        case .greater, .greaterOrEqual:
            if let high { return operand(high, .greaterOrEqual) }
        case .notEqual: return operand(least, .greaterOrEqual)
        case .equal: break
        }
        return operand(least, .less)
    }

    private func number(_ value: AttributeValue, _ comparison: Comparison) -> Operand {
        if case .double(let number) = value, number.isInfinite {
            let parameter = PostgreSQLParameter(.numeric) { bytes throws(ValueRefusal) in
                PostgreSQLNumeric.writeInfinity(isNegative: number < 0, to: &bytes)
            }
            return .parameter(parameter, comparison, test: nil)
        }
        guard let form = value.numberForm(of: .decimal) else { return .incomparable }
        let parameter = PostgreSQLParameter(form, as: .decimal)
        return parameter.isValid ? .parameter(parameter, comparison, test: nil) : .inexact
    }

    // MARK: Others

    /// A text beside texts, or what follows a tag.
    private func text(
        _ text: String,
        after tag: String,
        _ comparison: Comparison,
        test: String?
    ) -> Operand {
        func operand(_ text: String, _ comparison: Comparison) -> Operand {
            .parameter(.text(text), comparison, test: test)
        }
        guard text.utf8.contains(0) else { return operand(tag + text, comparison) }
        // No text has U+0000: those that are not greater than what is before it are less.
        let before = tag + String(Substring(text.utf8.prefix { $0 != 0 }))
        return switch comparison {
        case .less, .lessOrEqual: operand(before, .lessOrEqual)
        case .greater, .greaterOrEqual: operand(before, .greater)
        case .equal: operand("", .less)
        case .notEqual: operand("", .greaterOrEqual)
        }
    }

    /// A text beside UUIDs, of which it may be none.
    private func uuid(_ text: String, _ comparison: Comparison) -> Operand {
        func operand(_ number: UInt128, _ comparison: Comparison) -> Operand {
            let parameter = PostgreSQLParameter(.uuid) { $0.append(bigEndian: number) }
            return .parameter(parameter, comparison, test: nil)
        }
        let first = PostgreSQLUUID.first(from: text)
        if let first, first.isSame { return operand(first.number, comparison) }
        return Self.between(
            comparison,
            low: first.map { $0.number == 0 ? nil : $0.number - 1 } ?? .max,
            high: first?.number,
            least: 0,
            operand
        )
    }

    /// A date that cannot be stored comes before or after all others.
    private static func date(_ date: Date) -> PostgreSQLParameter {
        let number = Timestamp.microseconds(of: date)
        let near = min(max(number, storedDates.lowerBound - 1), storedDates.upperBound + 1)
        return PostgreSQLParameter(.timestamptz) { bytes throws(ValueRefusal) in
            bytes.append(bigEndian: near - firstOfPostgreSQL)
        }
    }

    private func variant(
        _ value: AttributeValue,
        _ comparison: Comparison,
        _ column: PostgreSQLColumn
    ) -> Operand {
        guard let operand = PostgreSQLVariant.operand(value),
            let tag = operand.unicodeScalars.first.map({ String($0) }), let next = tag.next
        else { return .incomparable }
        let test = "\(column.sql) >= '\(tag)' AND \(column.sql) < '\(next)'"
        if case .string(let text) = value {
            return self.text(text, after: tag, comparison, test: test)
        }
        return .parameter(.text(operand), comparison, test: test)
    }

    /// A value beside keys that are kept as numbers, of which some or all are texts, which compare with numbers never.
    private func key(
        _ value: AttributeValue,
        _ comparison: Comparison,
        _ column: PostgreSQLColumn
    ) -> Operand {
        let isEquality = comparison == .equal || comparison == .notEqual
        let parameter = PostgreSQLParameter(value, as: column.stored)
        switch (column.stored, value) {
        case (.unsigned, .int(let number)) where number >= 0:
            return .parameter(parameter, comparison, test: "\(column.sql) <= \(Int64.max)")
        case (.unsigned, .string) where isEquality && value.isStorable(as: .unsigned):
            return .parameter(parameter, comparison, test: "\(column.sql) > \(Int64.max)")
        case (.decimal, .string) where isEquality && value.isStorable(as: .decimal):
            return .parameter(parameter, comparison, test: nil)
        case (_, .string), (.unsigned, .int), (.unsigned, .double): return .inexact
        default: return .incomparable
        }
    }
}
