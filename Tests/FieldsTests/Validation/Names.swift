import ModelKitFields

/// Swift Testing has an `Issue` too.
typealias Issue = ModelKitFields.Issue
