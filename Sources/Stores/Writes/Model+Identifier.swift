import ModelKitFields
import ModelKitModels

extension Model {
    /// Has the identifier that a store gives.
    func give(_ identifier: Identifier) { setIdentifier(identifier.attributeValue) }

    /// Takes an identifier back that a store had given, unless another was set since.
    func takeBack(_ given: Identifier) {
        if identifier == given { setIdentifier(.null) }
    }

    private func setIdentifier(_ value: AttributeValue) {
        guard let entry = type(of: self).schema.identifier else { return }
        var scope = ImportScope()
        _ = entry.field(in: self).read(value, at: [], revision: nil, in: &scope)
    }
}
