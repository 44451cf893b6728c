package photofact

import (
	"testing"

	"homeward/internal/lost"
)

func TestColorsHaveTheirUsualNames(t *testing.T) {
	for hex, want := range map[uint32]lost.Color{
		0x000000: lost.Black, 0x333333: lost.Black, 0x808080: lost.Grey, 0xffffff: lost.White, 0xf5f5dc: lost.White,
		0xd2b48c: lost.Beige, 0xa0522d: lost.Brown, 0x8b4513: lost.Brown, 0xff0000: lost.Red, 0x800000: lost.Red,
		0xdc143c: lost.Red, 0xffa500: lost.Orange, 0xff8c00: lost.Orange, 0xffff00: lost.Yellow, 0xffd700: lost.Yellow,
		0x008000: lost.Green, 0x00ff00: lost.Green, 0x808000: lost.Green, 0x40e0d0: lost.Turquoise,
		0x008080: lost.Turquoise, 0x0000ff: lost.Blue, 0x000080: lost.Blue, 0x87ceeb: lost.Blue, 0x800080: lost.Purple,
		0x4b0082: lost.Purple, 0xee82ee: lost.Purple, 0xffc0cb: lost.Pink, 0xff69b4: lost.Pink, 0xff1493: lost.Pink,
	} {
		if got := nameOf(toLab(byte(hex>>16), byte(hex>>8), byte(hex))); got != want {
			t.Errorf("#%06x is %s, want %s", hex, got, want)
		}
	}
}
