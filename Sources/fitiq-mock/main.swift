print("fitiq-mock")
