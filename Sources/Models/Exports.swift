// Who imports the models has the values and rules that they are made of.
@_exported public import ModelKitValues
