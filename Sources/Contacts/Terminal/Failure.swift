/// Why the program ends early: one line for the user.
enum Failure: Error, Equatable {
    /// The command line cannot be understood.
    case usage(String)
    /// What it names cannot be read or written.
    case unreadable(String)
    /// Rules refuse what was asked for.
    case refused([String])
}
