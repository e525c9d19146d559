import FitIQAPI

extension Backend {
    /// Makes everything in a document, with the turn's time as the world's beginning; in a new world, as a rule.
    ///
    /// What is left out is made up: ids come from the turn, in the order of the document (for each user goals, then
    /// consultations, each with its messages, then what fills up the active ones, then meal logs). Afterwards all that holds
    /// of a backend holds of this one.
    ///
    /// What lived may hold more than its limit: what had begun when it became full was finished. So a document that names the
    /// ids that were issued, as exports do, is not held to the limit of a world.
    ///
    /// - Parameter exportRoom: how much such a document may fill; nil for any amount.
    /// - Throws: where in the document something is that would break a rule or a limit; nothing is planted then.
    public mutating func plant(
        _ data: WorldData, _ turn: inout Turn, exportRoom: StorageRoom? = nil
    ) throws(PlantError) {
        advance(&turn)
        let room = data.issuedIDs == nil ? storageRoom : exportRoom ?? StorageRoom(bytes: .max, limit: .max)
        var planter = Planter(backend: self, turn: turn, room: room)
        try planter.plant(data)
        self = planter.backend
        turn = planter.turn
    }
}
