extension Duration {
    /// Rounded up; none of what is over, and not more than a day.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= 86_400 { return 86_400_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

extension ContinuousClock.Instant {
    /// The milliseconds until then; none if it is over.
    var milliseconds: Int32 { ContinuousClock.now.duration(to: self).milliseconds }
}
