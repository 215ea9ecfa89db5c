import ModelKitForms

private func use(_ form: Form) async throws -> Bool {
    try await form.submit {}
    return form.isDirty
}
