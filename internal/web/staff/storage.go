package staff

func storageRoutes() []Route { return nil }
