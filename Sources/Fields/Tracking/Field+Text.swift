extension Field where Value == String {
    /// The value as a text that is never nil, as text fields take it: empty where there is no value, which
    /// an empty one sets.
    ///
    /// ```swift
    /// TextField("Name", text: Bindable(person.name).text)
    /// ```
    ///
    /// Reads are tracked by the Observation module, also while `FieldTracking` is off.
    public final var text: String {
        get { observed ?? "" }
        set { value = newValue.isEmpty ? nil : newValue }
    }
}
