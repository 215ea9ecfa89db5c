public import ModelKitValues

extension AsyncRule {
    /// The rule, which is asked again about the same value when one of some fields has changed.
    ///
    /// What a rule asks of a server mostly depends on more than its own value. What was answered before such a
    /// change is dropped, and so is an answer that is on its way; other rules of the field keep what they have
    /// answered. A field whose validity is observed, or that is in a live form, has the rule asked at once, in a
    /// batch once at its end; any other by its next validation. Of a field with rules, a set to the value that is
    /// there may count as a change, and its end does.
    ///
    /// ```swift
    /// let room = Field<String>()
    /// let day = Field<Int>().require(
    ///     AsyncRule("is taken") { [room] day in try await api.isFree(room.value, day) }
    ///         .following(room)
    /// )
    /// ```
    ///
    /// - Parameter fields: The fields, which the rule does not keep; while the validity is observed, they are
    ///   kept like all that rules have read.
    /// - Returns: The rule.
    public func following(_ fields: AnyField...) -> AsyncRule {
        let followed = fields.map { Followed(field: $0) }
        return following { followed.map { $0.field?.trackedChangeRevision ?? 0 } }
    }
}

/// A field that is followed as long as it is there.
private struct Followed: Sendable {
    weak let field: AnyField?
}
