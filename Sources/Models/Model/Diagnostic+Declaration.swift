import ModelKitFields

extension Diagnostic {
    /// What is wrong with the declaration of a model or of one of its fields.
    static func declaration(_ message: String, _ field: String?) -> Diagnostic {
        Diagnostic(code: .modelDeclaration, message: message, field: field)
    }
}

extension ModelKitDiagnostics {
    static func reportDeclaration(_ message: String, _ field: String?) {
        report(.declaration(message, field))
    }
}
