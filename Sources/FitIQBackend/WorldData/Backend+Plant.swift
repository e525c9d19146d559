import FitIQAPI

extension Backend {
    /// Makes everything in a document, with the turn's time as the world's beginning; in a new world, as a rule.
    ///
    /// What is left out is made up: ids come from the turn, in the order of the document (for each user goals, then
    /// consultations, each with its messages, then what fills up the active ones, then meal logs). Afterwards all that holds
    /// of a backend holds of this one.
    ///
    /// - Throws: where in the document something is that would break a rule or a limit; nothing is planted then.
    public mutating func plant(_ data: WorldData, _ turn: inout Turn) throws(PlantError) {
        advance(&turn)
        var planter = Planter(backend: self, turn: turn)
        try planter.plant(data)
        self = planter.backend
        turn = planter.turn
    }
}
