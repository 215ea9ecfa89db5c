/// Whose payment cards a number may be of.
///
/// ```swift
/// let card: Rule<String> = .creditCard([.visa, .mastercard])
/// card.isValid(value: "4111 1111 1111 1111")   // true
/// ```
///
/// By the ranges of numbers that the brands publish; some issuers have ranges in common.
public enum CardBrand: String, Hashable, Sendable, CaseIterable {
    case visa, mastercard, americanExpress, discover, dinersClub, jcb, unionPay, maestro
}

extension CardBrand {
    /// Whether the brand has numbers of a length that begin with these six digits.
    func has(prefix: Int, length: Int) -> Bool {
        let (two, three, four) = (prefix / 10_000, prefix / 1000, prefix / 100)
        return switch self {
        case .visa: prefix / 100_000 == 4 && [13, 16, 19].contains(length)
        case .mastercard: (51...55 ~= two || 2221...2720 ~= four) && length == 16
        case .americanExpress: (two == 34 || two == 37) && length == 15
        case .discover: (four == 6011 || 644...649 ~= three || two == 65) && 16...19 ~= length
        case .dinersClub:
            (300...305 ~= three || [36, 38, 39].contains(two)) && 14...19 ~= length
        case .jcb: 3528...3589 ~= four && 16...19 ~= length
        case .unionPay: (two == 62 || two == 81) && 16...19 ~= length
        case .maestro: (two == 50 || 56...58 ~= two || two / 10 == 6) && 12...19 ~= length
        }
    }
}
