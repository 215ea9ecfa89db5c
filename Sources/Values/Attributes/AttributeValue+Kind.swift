extension AttributeValue {
    /// Whether a field of a kind may have it.
    package func isOfKind(_ kind: AttributeKind) -> Bool {
        switch (self, kind) {
        case (.null, _), (_, .any), (.bool, .bool), (.int, .int), (.double, .double),
            (.string, .string), (.data, .data), (.date, .date), (.array, .array),
            (.dictionary, .dictionary), (.string, .decimal), (.int, .unsigned),
            (.string, .unsigned), (.string, .uuid):
            true
        default: false
        }
    }
}
