/// What a `RESTHandler` takes at most.
///
/// ```swift
/// handler.limits.body = 100_000
/// handler.limits.maximumPage = 200
/// ```
public struct RESTLimits: Sendable {
    /// How many bytes a body may have; more is answered by 413.
    public var body = 4 << 20
    /// How many values the JSON of a body may have, with arrays and objects; more is answered by 413.
    public var values = 100_000
    /// How many arrays and objects of a body may stand inside of each other; deeper is answered by 400.
    public var depth = 64
    /// How many bytes the path and the query may have; more is answered by 414.
    public var target = 16_384
    /// How many bytes the fields of the head may have; more is answered by 431.
    public var headers = 65_536
    /// How many parameters a query may have; more is answered by 400.
    public var parameters = 100
    /// How many conditions a list may be asked for by, with those that join others; more is answered by 400.
    public var conditions = 200
    /// Through how many relations, one after the other, a condition may look; more is answered by 400.
    public var relations = 3
    /// How many keys a list may be sorted by; more is answered by 400.
    public var sortKeys = 8
    /// How many models a page has, if the request does not say it.
    public var page = 100
    /// How many models a page may have; a request for more gets so many.
    public var maximumPage = 1_000
    /// How many writes a batch may have; more is answered by 413.
    public var batch = 1_000

    public init() {}
}
