import Testing

@testable import ContractSuite
