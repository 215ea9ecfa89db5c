import ModelKitStores

/// How a list that comes in several answers goes on.
///
/// ```swift
/// var dialect = RESTDialect(name: "the shop")
/// dialect.pagination = .page("page", size: "per_page")
/// ```
///
/// A list is asked for until its limit is reached, or there is no more; a page (`store.page`) is a list up to its
/// limit, and its cursor holds where the server goes on. A link is followed only at the
/// store's own origin; a server that goes in a circle, or gives the same models or no new ones again and
/// again, makes it fail. Where a way to go on finds no more, but the answer has models and a `Link` with
/// `rel="next"`, that is followed; one of your own is taken at its word.
public struct RESTPagination: Sendable {
    /// Where the next part is.
    ///
    /// ```swift
    /// let next = RESTPagination.Next.address("/people?page=2")
    /// ```
    public enum Next: Hashable, Sendable {
        /// At an address, whole or as seen from the one that was asked.
        case address(String)
        /// Where it was, with these parameters in the place of those of their names.
        case parameters([QueryParameters.Parameter])
    }

    /// The parameters of the first request, of so many models at most; nil for all.
    public var first: @Sendable (_ limit: Int?) -> [QueryParameters.Parameter]
    /// Where it goes on after a part; nil at its end.
    ///
    /// What it throws is what the list fails with.
    public var next: @Sendable (RESTPage) throws -> Next?
    /// The parameters that leave out so many models; nil where there are none.
    ///
    /// With them a page begins at its first model, whatever the server calls a page.
    public var skipping: (@Sendable (_ count: Int) -> [QueryParameters.Parameter])?
    /// Whether a link counts for its path alone, whatever origin it names: for servers behind a proxy, which
    /// often do not know how they are called.
    public var usesOwnOrigin = false
    /// Whether the status 404 says that the parts have come to their end, and not that something is wrong.
    public var endsWithNotFound = false

    /// A way to go on.
    ///
    /// - Parameters:
    ///   - first: The parameters of the first request.
    ///   - next: Where it goes on after a part; nil at its end.
    public init(
        first: @escaping @Sendable (_ limit: Int?) -> [QueryParameters.Parameter] = { _ in [] },
        next: @escaping @Sendable (RESTPage) throws -> Next?
    ) {
        self.first = first
        self.next = next
    }

    /// A list is one answer, unless that has a `Link` to the next.
    public static let none = RESTPagination { $0.link }

    /// By the field `Link` with `rel="next"` (RFC 8288).
    ///
    /// - Parameters:
    ///   - size: The parameter with the number of models that are wanted.
    ///   - maximum: How many the server gives at once, if it refuses more.
    /// - Returns: The pagination.
    public static func link(size: String? = nil, maximum: Int? = nil) -> RESTPagination {
        RESTPagination(first: { sized($0, size, maximum) }) { page in
            page.response.http.headers.link(to: "next").map { .address($0) }
        }
    }

    /// By an address in the answer.
    ///
    /// It may be in an object, as its `href`. The list ends where there is none, or null, `false` or an empty
    /// text; it fails where there is anything else.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - size: The parameter with the number of models that are wanted.
    ///   - maximum: How many the server gives at once, if it refuses more.
    /// - Returns: The pagination.
    public static func next(
        at path: [String] = ["next"],
        size: String? = nil,
        maximum: Int? = nil
    ) -> RESTPagination {
        RESTPagination(first: { sized($0, size, maximum) }) { page in
            var found = page.response.value?.member(at: path)
            if case .dictionary(let link)? = found, let address = link["href"] { found = address }
            guard let found, !found.isNothing else { return page.link }
            guard case .string(let address) = found else { throw StoreError.noMark(at: path) }
            return .address(address)
        }
    }

    /// By a mark in the answer, which the next request has as a parameter.
    ///
    /// It is a text or a number. The list ends where there is none, or null, `false` or an empty text; it fails
    /// where there is anything else.
    ///
    /// - Parameters:
    ///   - parameter: The parameter.
    ///   - path: Where the mark is in the answer.
    ///   - size: The parameter with the number of models that are wanted.
    ///   - maximum: How many the server gives at once, if it refuses more.
    /// - Returns: The pagination.
    public static func cursor(
        _ parameter: String,
        at path: [String],
        size: String? = nil,
        maximum: Int? = nil
    ) -> RESTPagination {
        RESTPagination(first: { sized($0, size, maximum) }) { page in
            guard let found = page.response.value?.member(at: path), !found.isNothing else {
                return page.link
            }
            let mark: String
            switch found {
            case .string(let text): mark = text
            case .int(let number): mark = String(number)
            // A greater one may have been another number.
            case .double(let number) where number.magnitude < 0x1p53: mark = number.description
            default: throw StoreError.noMark(at: path)
            }
            return .parameters([QueryParameters.Parameter(name: parameter, value: mark)])
        }
    }

    /// By the number of models that are left out.
    ///
    /// - Parameters:
    ///   - parameter: The parameter with that number.
    ///   - size: The parameter with the number of models that are wanted.
    ///   - maximum: How many the server gives at once, if it refuses more.
    ///   - total: Where the answer has the number of all; without it, the list ends at a part without models.
    /// - Returns: The pagination.
    public static func offset(
        _ parameter: String = "offset",
        size: String = "limit",
        maximum: Int? = nil,
        total: [String]? = nil
    ) -> RESTPagination {
        var pagination = RESTPagination(first: { sized($0, size, maximum) }) { page in
            let count = page.before + page.count
            if page.isLast(total) { return page.link }
            return .parameters([QueryParameters.Parameter(name: parameter, value: String(count))])
        }
        pagination.skipping = { [QueryParameters.Parameter(name: parameter, value: String($0))] }
        return pagination
    }

    /// By the number of the page.
    ///
    /// - Parameters:
    ///   - parameter: The parameter with the number.
    ///   - size: The parameter with the number of models on a page.
    ///   - maximum: How many a page may have, if the server refuses more.
    ///   - start: The number of the first page.
    ///   - total: Where the answer has the number of all models; without it, the list ends at a page without
    ///     any, or one that is not found.
    /// - Returns: The pagination.
    public static func page(
        _ parameter: String = "page",
        size: String? = nil,
        maximum: Int? = nil,
        start: Int = 1,
        total: [String]? = nil
    ) -> RESTPagination {
        var pagination = RESTPagination(first: { sized($0, size, maximum) }) { page in
            if page.isLast(total) { return page.link }
            let number = String(start + page.number)
            return .parameters([QueryParameters.Parameter(name: parameter, value: number)])
        }
        pagination.endsWithNotFound = total == nil
        return pagination
    }

    private static func sized(
        _ limit: Int?,
        _ size: String?,
        _ maximum: Int?
    ) -> [QueryParameters.Parameter] {
        guard let size, let count = [limit, maximum].compactMap({ $0 }).min() else { return [] }
        return [QueryParameters.Parameter(name: size, value: String(count))]
    }
}

/// A part of a list.
///
/// ```swift
/// let pagination = RESTPagination { page in
///     page.count < 100 ? nil : .parameters([.init(name: "skip", value: "\(page.before + 100)")])
/// }
/// ```
public struct RESTPage: Sendable {
    /// The answer that it is in.
    public let response: RESTResponse
    /// How many models it has.
    public let count: Int
    /// How many models the parts before have.
    public let before: Int
    /// How many parts there are so far.
    public let number: Int

    /// The next part by the field `Link`, for ways to go on that look elsewhere and find none; nil after a
    /// part without models.
    fileprivate var link: RESTPagination.Next? {
        count == 0 ? nil : response.http.headers.link(to: "next").map { .address($0) }
    }

    /// Whether no more models are to come: by the number of all, or as there are none here.
    fileprivate func isLast(_ total: [String]?) -> Bool {
        if count == 0 { return true }
        guard let total, case .int(let all)? = response.value?.member(at: total) else {
            return false
        }
        return Int64(before + count) >= all
    }
}

extension StoreError {
    fileprivate static func noMark(at path: [String]) -> StoreError {
        .unavailable(
            "what the server has at \(path.joined(separator: ".")) leads to no part of the list",
            .notApplied
        )
    }
}

extension AttributeValue {
    /// Whether it is there only to say that there is nothing.
    fileprivate var isNothing: Bool { isNull || self == false || self == "" }
}
