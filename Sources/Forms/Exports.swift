// Who imports the forms has the values and rules that they are made of.
@_exported public import ModelKitValues
