#if canImport(XCUIAutomation)
    import FitIQMockTesting
    import XCUIAutomation

    extension XCUIApplication {
        /// Launches the app with a world as its backend: `FITIQ_MOCK_URL` and its like are in its environment.
        ///
        /// The app reads them as docs/app.md of fitiq-mock shows.
        @MainActor
        public func launch(with world: MockWorld) {
            launchEnvironment.merge(world.environment) { $1 }
            launch()
        }
    }
#endif
