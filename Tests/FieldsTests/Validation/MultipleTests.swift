import ModelKitFields
import TestSupport
import Testing

@Suite struct MultipleTests {
    /// A number, what it is divided by, and whether it is a multiple as people write both.
    static let cases: [(number: Double, divisor: Double, isMultiple: Bool)] = [
        (1e14, 0.01, true), (1e15, 0.1, true), (1e13, 0.001, true), (1e300, 1e-300, true),
        (123_456_789_012_345.68, 0.01, true), (0.3, 0.1, true),
        (0.25, 0.1, false), (0x1p60, 1024, true), (0x1p60, 3, false), (-1e14, 0.01, true),
        (1e14, -0.01, true), (1e16, 0.03, false), (9e15, 0.03, true), (.infinity, 1, false),
        (1, 0, false), (0, 0.1, true), (1e-7, 1e-8, true), (1.5e-7, 1e-7, false),
    ]

    @Test(arguments: cases)
    func `a number is a multiple of what goes into it as it is written`(
        number: Double,
        divisor: Double,
        isMultiple: Bool
    ) {
        expect(Rule<Double>.multipleOf(divisor).isValid(value: number), equals: isMultiple)
    }
}
