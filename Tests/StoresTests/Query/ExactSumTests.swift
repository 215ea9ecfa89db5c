import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// What no store alone can get wrong: numbers as texts, and what their mean is.
@Suite struct ExactSumTests {
    private final class Price: Model {
        let id = Field<Int>()
        let amount = Field<Decimal>()
        let weight = Field<Double>()
    }

    private func totals(
        _ function: RecordAggregate.Function,
        _ values: [AttributeValue]
    ) throws -> AttributeValue {
        var totals = RecordTotals(RecordAggregate(function), of: Price.schema)
        for value in values {
            let values = ["amount", "weight"].map { (key: FieldKey) in (key, value) }
            totals.add(
                Record(identifier: 1, revision: 1, values: .init(uniqueKeysWithValues: values))
            )
        }
        return try totals.value()
    }

    private static let sums: [(values: [String], sum: String, mean: String)] = [
        (["1", "0", "0"], "1", "0.33333333333333333333333333333333333333"),
        (["2", "0", "0"], "2", "0.66666666666666666666666666666666666667"),
        (["-2", "0", "0"], "-2", "-0.66666666666666666666666666666666666667"),
        (["0.1", "0.2"], "0.3", "0.15"), (["1", "-1"], "0", "0"),
        (["1000000000000000000", "-1"], "999999999999999999", "499999999999999999.5"),
        // Half of the last of 38 digits: to the even one.
        (
            ["12345678901234567890123456789012345678.5", "0", "0.5"],
            "12345678901234567890123456789012345679", "4115226300411522630041152263004115226.3"
        ),
        (
            ["10000000000000000000000000000000000000", "1"],
            "10000000000000000000000000000000000001", "5000000000000000000000000000000000000.5"
        ),
        (
            ["20000000000000000000000000000000000000", "1"],
            "20000000000000000000000000000000000001", "10000000000000000000000000000000000000"
        ),
        (
            ["20000000000000000000000000000000000000", "3"],
            "20000000000000000000000000000000000003", "10000000000000000000000000000000000002"
        ),
        (
            ["199999999999999999999999999999999999999", "0"],
            "199999999999999999999999999999999999999", "100000000000000000000000000000000000000"
        ),
        (
            ["-0.0000000000000000001", "1234567890123456789012345"],
            "1234567890123456789012344.9999999999999999999",
            "617283945061728394506172.5"
        ),
    ]

    @Test(arguments: sums)
    func `decimals are added digit by digit`(
        _ values: [String],
        _ sum: String,
        _ mean: String
    ) throws {
        for values in [values, values.reversed()] {
            let numbers = values.map { AttributeValue.string($0) }
            try expect(totals(.sum("amount"), numbers), equals: .string(sum))
            try expect(totals(.average("amount"), numbers), equals: .string(mean))
        }
    }

    @Test(arguments: [
        "", "-", ".", "1.", ".5", "1e5", "+1", "1 ", "--1", "1.2.3", "x", "007", "1.50", "1.0",
        "-0",
    ])
    func `a text that is no number is none of a sum`(text: String) {
        let error = #expect(throws: StoreError.self) {
            try totals(.sum("amount"), ["1", .string(text)])
        }
        expect(error?.code == "corrupt" && error?.description.contains("amount") == true)
    }

    @Test func `doubles are compensated, and a sum beyond them is an error`() throws {
        try expect(totals(.sum("weight"), [1, 1e100, 1, -1e100]), equals: 2.0)
        try expect(totals(.sum("weight"), Array(repeating: 0.1, count: 10)), equals: 1.0)
        let error = #expect(throws: StoreError.self) {
            try totals(.sum("weight"), [1.7e308, 1.7e308])
        }
        expect(error?.code == "unsupported" && error?.description.contains("weight") == true)
    }
}
