package cli

import (
	"context"
	"io"
	"log/slog"
	"os"

	"homeward/internal/app"
)

// newLevel returns the configured log level, which can be changed while the service runs.
func newLevel(cfg *app.Config) *slog.LevelVar {
	level := &slog.LevelVar{}
	configured, _ := cfg.Level() // Config.Validate has checked it
	level.Set(configured)
	return level
}

// reloader reads the settings again: the same flags and environment, and the current content of the --config file.
type reloader struct{ args []string }

func (r reloader) read(ctx context.Context) (*app.Config, error) {
	c := commands{}
	_, err := c.parse(ctx, r.args, nil, io.Discard, io.Discard)
	return c.config(), err
}

// reloadOn reloads the certificate and the log level after every SIGHUP, until the context ends. Invalid settings are
// logged and change nothing.
func (r reloader) reloadOn(
	ctx context.Context, hangups <-chan os.Signal, service *app.App, level *slog.LevelVar, log *slog.Logger,
) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		}
		if err := service.ReloadCertificate(); err != nil { // otherwise the service logs the new certificate
			log.Warn("the new certificate cannot be used; the previous one stays in use", "error", err)
		}
		cfg, err := r.read(ctx)
		if err != nil {
			log.Warn("the settings were not reloaded; the previous ones stay in use", "error", err)
			continue
		}
		configured, _ := cfg.Level() // parse has checked it
		level.Set(configured)
		log.Info("the log level was reloaded", "level", configured.String())
	}
}
