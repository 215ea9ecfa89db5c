extension Double {
    /// The double that an integer beyond 64 bits stands for: exactly, or as the shortest digits that
    /// denote it, filled up with zeros, as writers of JSON write large doubles.
    ///
    /// nil for any other integer, which would lose digits.
    package init?(wide integer: Int128) {
        self.init(integer)
        if Int128(exactly: self) == integer { return }
        if Self.digits(of: integer.description) != Self.digits(of: description) { return nil }
    }

    /// The digits before an exponent, without the zeros at their end.
    private static func digits(of number: String) -> Substring {
        let digits = number.prefix { $0 != "e" }.filter { $0 != "." }
        guard let last = digits.lastIndex(where: { $0 != "0" }) else { return "0" }
        return digits[...last]
    }
}
