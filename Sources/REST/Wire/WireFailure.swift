/// What is wrong with something that came over the wire: a parameter, a header, a body.
package struct WireFailure: Error, Hashable, Sendable {
    /// Where it stands, as people say it: `filter`, `sort`, `age[ge]`.
    package let place: String
    package let message: String

    package init(_ place: String, _ message: String) {
        self.place = place
        self.message = message
    }
}
