extension Judge {
    /// The judges, in the order of the contract's table.
    static let judges: [any ObligationJudge.Type] = [
        LowercaseIDs.self
    ]
}
