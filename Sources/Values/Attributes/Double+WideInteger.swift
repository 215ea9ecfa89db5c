extension Double {
    /// The double that an integer beyond 64 bits stands for: exactly, or as the shortest digits that
    /// denote it, filled up with zeros, as writers of JSON write large doubles.
    ///
    /// nil for any other integer, which would lose digits.
    package init?(wide integer: Int128) {
        self.init(integer)
        if Int128(exactly: self) == integer { return }
        if DecimalText("\(integer)") != DecimalText("\(self)") { return nil }
    }
}
