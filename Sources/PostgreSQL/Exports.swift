// Who imports the store in PostgreSQL has the values, rules and promises that it is made of.
@_exported public import ModelKitPromises
@_exported public import ModelKitValues
