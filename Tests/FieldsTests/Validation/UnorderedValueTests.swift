import Foundation
import ModelKitFields
import TestSupport
import Testing

/// Values that are in no order: NaN, and what is made of it.
@Suite struct UnorderedValueTests {
    private static let never = Date(timeIntervalSinceReferenceDate: .nan)
    private static let epoch = Date(timeIntervalSince1970: 0)

    @Test(arguments: [
        Rule<Date>.min(epoch), .max(epoch), .greaterThan(epoch), .lessThan(epoch),
        .range(epoch...epoch + 1), .range(epoch...epoch), .range(epoch..<epoch + 1),
        .range(epoch...), .range(...epoch), .range(..<epoch), RangeRule(min: epoch).rule,
        RangeRule(max: epoch).rule, .before(epoch), .after(epoch), .within(.seconds(1), of: epoch),
        .min(.distantPast), .max(.distantFuture),
    ])
    func `a date that is none passes no bound`(rule: Rule<Date>) {
        // Foundation cannot describe it, as a failure would.
        let passes = rule.isValid(value: Self.never)
        expect(!passes)
    }

    @Test(arguments: [
        Rule<Decimal>.min(5), .max(5), .greaterThan(5), .lessThan(5), .range(1...5), .range(5...5),
        .range(1..<5), .range(1...), .range(...5), .range(..<5), .positive, .negative, .nonNegative,
        RangeRule(min: 1).rule, RangeRule(max: 1).rule, RangeRule(min: .nan, max: .nan).rule,
    ])
    func `a decimal that is no number passes no bound`(rule: Rule<Decimal>) {
        expect(!rule.issues(for: .nan).isEmpty)
    }

    @Test func `nothing passes a bound that is none`() {
        for rule in [Rule<Date>.min(Self.never), .max(Self.never), .lessThan(Self.never)] {
            expect(!rule.issues(for: Self.epoch).isEmpty)
        }
        for rule in [Rule<Decimal>.min(.nan), .max(.nan), .greaterThan(.nan), .lessThan(.nan)] {
            expect(!rule.issues(for: 0).isEmpty)
        }
    }
}
