extension Optional where Wrapped: AnyObject {
    /// The object, which is made and kept if there is none.
    @inline(__always)
    mutating func orMade(_ made: @autoclosure () -> Wrapped) -> Wrapped {
        if let self { return self }
        let made = made()
        self = made
        return made
    }
}
