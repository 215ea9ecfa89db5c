// Who imports the tools of tests has the values, rules and promises that they are made of.
@_exported public import ModelKitPromises
@_exported public import ModelKitValues
