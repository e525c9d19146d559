import JSON

extension JSONValue {
    func asObject() throws(HARError) -> JSONObject {
        guard let object else {
            throw HARError(.wrong(expected: Messages.object, found: Messages.found(self)))
        }
        return object
    }
}

/// Members in HAR's form: `null` counts as absent, because writers use it so.
extension JSONObject {
    func optionalObject(_ name: String) throws(HARError) -> JSONObject? {
        guard let value = present(name) else { return nil }
        guard let object = value.object else { throw wrong(name, expected: Messages.object) }
        return object
    }

    func optionalArray(_ name: String) throws(HARError) -> [JSONValue]? {
        guard let value = present(name) else { return nil }
        guard let array = value.array else { throw wrong(name, expected: Messages.array) }
        return array
    }

    func optionalString(_ name: String) throws(HARError) -> String? {
        guard let value = present(name) else { return nil }
        guard let string = value.string else { throw wrong(name, expected: Messages.string) }
        return string
    }

    func optionalCount(_ name: String, in place: String) throws(HARError) -> Int? {
        guard let value = present(name) else { return nil }
        guard let count = value.int, count >= 0 else { throw wrong(name, expected: Messages.count).inside(place) }
        return count
    }

    func object(_ name: String) throws(HARError) -> JSONObject {
        guard let object = try optionalObject(name) else { throw wrong(name, expected: Messages.object) }
        return object
    }

    func array(_ name: String) throws(HARError) -> [JSONValue] {
        guard let array = try optionalArray(name) else { throw wrong(name, expected: Messages.array) }
        return array
    }

    func string(_ name: String, expected: String = Messages.string) throws(HARError) -> String {
        guard let string = present(name)?.string else { throw wrong(name, expected: expected) }
        return string
    }

    /// The error for a member that is missing or not what was expected.
    func wrong(_ name: String, expected: String) -> HARError {
        guard let value = self[name] else { return HARError(.missing(expected: expected), path: name) }
        return HARError(.wrong(expected: expected, found: Messages.found(value)), path: name)
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = self[name], !value.isNull else { return nil }
        return value
    }
}
