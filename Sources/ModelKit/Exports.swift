@_exported public import ModelKitFields
@_exported public import ModelKitForms
@_exported public import ModelKitModels
@_exported public import ModelKitStores
