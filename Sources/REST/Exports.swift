// Who imports the stores on servers has the values, rules and promises that they are made of.
@_exported public import ModelKitPromises
@_exported public import ModelKitValues
