module homeward/examples

go 1.26.0

require homeward/clients/go v0.0.0

replace homeward/clients/go => ../clients/go
