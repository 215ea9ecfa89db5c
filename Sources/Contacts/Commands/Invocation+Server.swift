extension Invocation {
    /// Whether the database is one of a PostgreSQL server: a URL, or `host=db dbname=people`.
    ///
    /// A file with such a name is `./a=b.db`.
    var isOnServer: Bool { Self.isOnServer(database) }

    static func isOnServer(_ database: String) -> Bool {
        if ["postgres://", "postgresql://"].contains(where: database.hasPrefix) { return true }
        let word = database.prefix { $0 != "=" }
        return word.endIndex < database.endIndex
            && word.allSatisfy { $0.isLetter || $0 == "_" || $0.isWhitespace }
    }

    /// The database as it is shown: without what may be a password.
    var place: String { isOnServer ? "PostgreSQL" : database }
}
