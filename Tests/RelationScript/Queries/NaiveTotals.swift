import Foundation
import ModelKitFields
package import ModelKitModels
package import ModelKitStores

/// What records make together, said once more, digit by digit.
package struct NaiveTotals {
    package typealias Answer = [AttributeValue: AttributeValue]

    let aggregate: RecordAggregate

    package init(_ aggregate: RecordAggregate) { self.aggregate = aggregate }

    /// What is right; nil where that is out of range.
    package func answer(_ records: [Record]) -> [AttributeValue: Expected]? {
        var groups: [AttributeValue: [Record]] = [:]
        if aggregate.groupKey == nil { groups[.null] = [] }
        for record in records {
            let group = aggregate.groupKey.flatMap { record[$0] } ?? .null
            groups[rounded(group), default: []].append(record)
        }
        var answer: [AttributeValue: Expected] = [:]
        for (group, records) in groups {
            guard let value = expected(records) else { return nil }
            answer[group] = value
        }
        return answer
    }

    /// Dates to the microsecond.
    private func rounded(_ value: AttributeValue) -> AttributeValue {
        guard case .date(let date) = value else { return value }
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        return .date(Date(timeIntervalSince1970: microseconds / 1e6))
    }

    private func expected(_ records: [Record]) -> Expected? {
        switch aggregate.function {
        case .count: return .exactly(.int(Int64(records.count)))
        case .minimum(let key), .maximum(let key):
            let isLeast = aggregate.function == .minimum(key)
            var query = RecordQuery(order: [.init(key, isDescending: !isLeast)], limit: 1)
            query.filter = .not(.isNull(key))
            let first = query.answer(from: records, of: Sale.schema).first.flatMap { $0[key] }
            return .exactly(first.map(rounded) ?? .null)
        case .sum(let key), .average(let key):
            let values = records.compactMap { $0[key] }.filter { $0 != .null }
            let isMean = aggregate.function == .average(key)
            if isMean && values.isEmpty { return .exactly(.null) }
            if key == "weight" {
                let numbers = values.map { value -> Double in
                    if case .double(let number) = value { number } else { .nan }
                }
                return .near(numbers, dividedBy: isMean ? Double(values.count) : 1)
            }
            let sum = Self.sum(values)
            if key == "amount" || key == "price" {
                return isMean ? .mean(values) : .exactly(.string(sum))
            }
            if isMean {
                return .exactly(.double((Double(sum) ?? .nan) / Double(values.count)))
            }
            if let number = Int64(sum) { return .exactly(.int(number)) }
            return key == "wide" ? .exactly(.string(sum)) : nil
        }
    }

    /// By columns of digits.
    static func sum(_ values: [AttributeValue]) -> String {
        let places = 140
        var columns = Array(repeating: 0, count: 200)
        for value in values {
            var text = ""
            if case .string(let digits) = value { text = digits }
            if case .int(let number) = value { text = "\(number)" }
            let sign = text.hasPrefix("-") ? -1 : 1
            let parts = text.drop { $0 == "-" }.split(separator: ".").map {
                $0.map { $0.wholeNumberValue ?? 0 }
            }
            for (index, digit) in parts[0].reversed().enumerated() {
                columns[places + index] += sign * digit
            }
            for (index, digit) in (parts.count > 1 ? parts[1] : []).enumerated() {
                columns[places - 1 - index] += sign * digit
            }
        }
        let isNegative = isBelowZero(columns)
        if isNegative { columns = columns.map { -$0 } }
        for index in 0..<columns.count - 1 {
            let carry = Int((Double(columns[index]) / 10).rounded(.down))
            columns[index] -= carry * 10
            columns[index + 1] += carry
        }
        let text = columns.reversed().map { "\($0)" }.joined()
        let whole = text.dropLast(places).drop { $0 == "0" }
        var fraction = text.suffix(places)
        while fraction.last == "0" { fraction.removeLast() }
        if whole.isEmpty && fraction.isEmpty { return "0" }
        return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole)
            + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// Whether columns, of which each may be more than a digit, are together less than 0.
    private static func isBelowZero(_ columns: [Int]) -> Bool {
        var columns = columns
        for index in 0..<columns.count - 1 {
            let carry = Int((Double(columns[index]) / 10).rounded(.down))
            columns[index] -= carry * 10
            columns[index + 1] += carry
        }
        return columns[columns.count - 1] < 0
    }

    package static func fits(_ answer: Answer?, _ expected: [AttributeValue: Expected]?) -> Bool {
        guard let answer, let expected else { return answer == nil && expected == nil }
        return Set(answer.keys) == Set(expected.keys)
            && answer.allSatisfy { group, value in expected[group]?.isFitting(value) ?? false }
    }
}

/// What is right as an answer.
package enum Expected {
    case exactly(AttributeValue)
    /// The sum of doubles, but for what is lost of it where it is added with compensation.
    case near([Double], dividedBy: Double)
    /// The mean of decimals, to 38 digits.
    case mean([AttributeValue])

    func isFitting(_ value: AttributeValue) -> Bool {
        switch (self, value) {
        // Equal, and in any order.
        case (.exactly(.double(let one)), .int(let other)),
            (.exactly(.int(let other)), .double(let one)):
            return one == Double(other)
        case (.exactly(let expected), _): return value == expected
        case (.near(let numbers, let count), .double(let answer)):
            let sum = Self.sum(numbers)
            let magnitude = numbers.reduce(0) { $0 + $1.magnitude }
            let lost = magnitude * 0x1p-104 * Double(numbers.count * numbers.count)
            return (answer - sum / count).magnitude <= lost + 2 * (sum / count).ulp
        case (.mean(let numbers), .string(let mean)):
            // So many times the mean is the sum, but for half of its last digit.
            let negated = mean.hasPrefix("-") ? String(mean.dropFirst()) : "-" + mean
            let means = Array(repeating: AttributeValue.string(negated), count: numbers.count)
            guard let rest = Double(NaiveTotals.sum(numbers + means)), let mean = Double(mean)
            else { return false }
            if rest == 0 { return true }
            let last = pow(10, log10(mean.magnitude).rounded(.down) - 37)
            return rest.magnitude <= Double(numbers.count) * last * 0.500001
        default: return false
        }
    }

    /// By parts that have no digits in common (Shewchuk, 1997).
    private static func sum(_ numbers: [Double]) -> Double {
        var parts: [Double] = []
        for number in numbers {
            var high = number
            var lower: [Double] = []
            for part in parts {
                let (large, small) =
                    high.magnitude < part.magnitude ? (part, high) : (high, part)
                high = large + small
                let low = small - (high - large)
                if low != 0 { lower.append(low) }
            }
            parts = lower + [high]
        }
        return parts.reduce(0, +)
    }
}
