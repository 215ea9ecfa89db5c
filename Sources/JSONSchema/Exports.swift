// Who imports the schemas has the values and rules that they are made of.
@_exported public import ModelKitValues
