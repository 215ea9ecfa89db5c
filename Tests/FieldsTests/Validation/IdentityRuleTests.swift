import ModelKitFields
import Testing

struct IdentityRuleTests {
    @Test(arguments: [
        TextSample(
            code: "luhn",
            rule: .luhn,
            message: "must be a valid number",
            passing: ["79927398713", "18", "00", "49927398716", "1234567812345670"],
            failing: ["", "0", "79927398710", "7992 7398713", "a", "１８", "79927398713\n"]
        ),
        TextSample(
            code: "creditCard",
            rule: .creditCard(),
            message: "must be a valid card number",
            passing: [
                "4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "4222222222222",
                "5555555555554444", "2223003122003222", "378282246310005", "6011111111111117",
                "30569309025904", "3530111333300000", "6200000000000005", "6759649826438453",
            ],
            failing: [
                "", "4111111111111112", "4111  111111111111", " 4111111111111111",
                "4111111111111111 ", "9111111111111111", "411111111111116", "0000000000000000",
                "4111111111111111x",
            ]
        ),
        TextSample(
            code: "creditCard",
            rule: .creditCard([.visa]),
            message: "must be a valid card number",
            passing: ["4111111111111111"],
            failing: ["5555555555554444", "378282246310005"]
        ),
        TextSample(
            code: "iban",
            rule: .iban,
            message: "must be a valid IBAN",
            passing: [
                "DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819",
                "NO9386011117947", "MT84MALT011000012345MTLCAST001S", "FR1420041010050500013M02606",
            ],
            failing: [
                "", "DE88370400440532013000", "de89370400440532013000", "DE8937040044053201300",
                "DE89370400440532013000 ", "DE89  370400440532013000", "XX89370400440532013000",
                "DE893704004405320130000", "1E89370400440532013000", "DEA9370400440532013000",
                "DE89-37040044",
            ]
        ),
        TextSample(
            code: "isbn",
            rule: .isbn,
            message: "must be a valid ISBN",
            passing: [
                "978-3-16-148410-0", "9783161484100", "3-16-148410-X", "316148410X", "0306406152",
                "979-10-90636-07-1", "0 306 40615 2",
            ],
            failing: [
                "", "978-3-16-148410-1", "9773161484107", "3-16-148410-1", "X306406152",
                "316148410x",
                "-0306406152", "0306406152-", "03064061522", "030640615", "316148410XX",
            ]
        ),
        TextSample(
            code: "isbn10",
            rule: .isbn10,
            message: "must be a valid ISBN",
            passing: ["316148410X"],
            failing: ["9783161484100"]
        ),
        TextSample(
            code: "isbn13",
            rule: .isbn13,
            message: "must be a valid ISBN",
            passing: ["9783161484100"],
            failing: ["316148410X"]
        ),
        TextSample(
            code: "ean",
            rule: .ean,
            message: "must be a valid EAN",
            passing: ["4006381333931", "73513537", "9783161484100"],
            failing: [
                "", "4006381333932", "73513536", "001234567890", "400638133393", "4006381-333931",
            ]
        ),
        TextSample(
            code: "e164",
            rule: .e164,
            message: "must be a valid phone number",
            constraint: .pattern(#"^\+[1-9][0-9]{1,14}$"#),
            passing: ["+4930123456", "+12", "+123456789012345"],
            failing: [
                "", "+", "+1", "4930123456", "+04930123456", "+1234567890123456", "+49 30", "+1２",
            ]
        ),
    ])
    func `numbers and their check digits`(sample: TextSample) throws {
        sample.check()
        // What a schema says of the rule must refuse nothing that passes.
        let parts: [Constraint] =
            if case .all(let parts) = sample.rule.constraint { parts } else {
                [sample.rule.constraint]
            }
        for case .pattern(let source) in parts {
            let pattern = try Pattern(source)
            for text in sample.passing { #expect(pattern.isFound(in: text), "\(text)") }
        }
    }

    @Test func `any single slip of the pen is found`() {
        let samples: [(Rule<String>, String)] = [
            (.luhn, "79927398713"), (.creditCard(), "4111111111111111"),
            (.iban, "DE89370400440532013000"), (.isbn10, "0306406152"), (.isbn13, "9783161484100"),
            (.ean, "4006381333931"),
        ]
        for (rule, text) in samples {
            for position in text.utf8.indices {
                for digit in "0123456789" where text[position] != digit {
                    guard text[position].isNumber else { continue }
                    var slip = text
                    slip.replaceSubrange(position...position, with: String(digit))
                    #expect(!rule.isValid(value: slip), "\(slip)")
                }
            }
        }
    }
}
