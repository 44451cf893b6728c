package cli

import (
	"context"
	"log/slog"
	"os"

	"homeward/internal/app"
)

// ReloadOn is reloader.reloadOn for the service's flags.
func ReloadOn(
	ctx context.Context, args []string, hangups <-chan os.Signal, service *app.App, level *slog.LevelVar,
	log *slog.Logger,
) {
	reloader{args}.reloadOn(ctx, hangups, service, level, log)
}
