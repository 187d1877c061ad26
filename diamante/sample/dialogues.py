"""The invented dialogues of the sample corpus, split by split.

Every word was made up for this package; nothing is copied from Diamante. A reply is written as the
human's text and how it came about: `selected` from the candidates, revised from a `draft`, or
written anew. What else the model proposed is taken from a list of replies that fit the dialogue's
topic, so that the candidates read like a model's: on the topic, and a little beside the point.

Between them the dialogues hold what a reader of the real files has to survive: odd and even numbers
of turns, an empty candidate, one that stands twice, one that equals the reply but for white space,
a turn without candidates, a newline, a tab, full-width punctuation, half-width digits, an emoji.
"""

from __future__ import annotations

from typing import NamedTuple


class Reply(NamedTuple):
    """A human reply; `exactly` lists its candidates where the sample wants certain ones."""

    text: str
    draft: str | None = None
    selected: bool = False
    exactly: tuple[str, ...] | None = None


class SampleDialogue(NamedTuple):
    """An opener, its replies in turn, and what a model likes to say on the topic."""

    opener: str
    replies: tuple[Reply, ...]
    proposals: tuple[str, ...]


def selected(text: str) -> Reply:
    """A reply that was taken from the candidates as it was."""
    return Reply(text, selected=True)


def revised(text: str, draft: str) -> Reply:
    """A reply that was changed from a candidate."""
    return Reply(text, draft=draft)


def written(text: str, *exactly: str) -> Reply:
    """A reply that was written anew, whatever the candidates were."""
    return Reply(text, exactly=exactly or None)


TRAIN = (
    SampleDialogue(
        "今天第一次自己包饺子，形状有点奇怪😂",
        (
            revised("形状不要紧，煮熟不露馅就算成功！", "形状不要紧，好吃就行！"),
            selected("露了三个，锅里变成了菜汤。"),
            written("那叫饺子汤，原汤化原食嘛。"),
            revised("你这么一说，我还有点得意了。", "你这么一说我就放心了。"),
            written("什么馅的？我家过年只包白菜猪肉。"),
            selected("韭菜鸡蛋，我奶奶的配方。"),
            revised("韭菜鸡蛋最香，下次记得多放虾皮。", "韭菜鸡蛋最香了。"),
            written("好，下次包好了给你送一盘。"),
        ),
        (
            "饺子是很好吃的食物。",
            "你喜欢吃什么馅的饺子？",
            "我不会做饭，都是妈妈做。",
            "慢慢学，熟能生巧。",
            "听起来真不错。",
            "我也想吃饺子了。",
            "外面买的也挺好。",
        ),
    ),
    SampleDialogue(
        "昨晚看了一部老电影，看到最后我哭得停不下来。",
        (
            selected("什么电影啊，这么感人？"),
            revised("讲一个邮递员每天走山路送信的故事。", "讲一个邮递员送信的故事。"),
            written("听名字好像很平淡，哪里让你哭了？"),
            written("他退休那天，全村人排着队给他写了一封信。"),
            revised("天哪，光是听你说我鼻子都酸了。", "光是听你说我都想哭了。"),
            revised("周末你也看看，记得准备纸巾。", "你可以去看看。"),
        ),
        (
            "我平时不太看电影。",
            "电影院的爆米花很好吃。",
            "你喜欢哪个演员？",
            "老电影都很经典。",
            "我一般看喜剧片。",
            "哭出来会舒服一点。",
        ),
    ),
    SampleDialogue(
        "这雨下了整整一个星期，衣服都晾不干。",
        (
            written("我家阳台已经像热带雨林了。"),
            revised("要不买个烘干机？我表姐买了都说好。", "要不买个烘干机？"),
            selected("太贵了，还是等太阳吧。"),
            written("天气预报说周四放晴，我已经把被子排好队了。"),
            revised("哈哈，被子也要排号晒太阳。", "哈哈，我也要晒被子。"),
            written("你的排第二，我的床单排第一，\n先来后到！"),
            selected("那说好了，谁也不许插队。"),
        ),
        (
            "下雨天适合睡觉。",
            "我喜欢雨天的声音。",
            "记得带伞。",
            "南方的雨季就是这样。",
            "注意身体，别感冒了。",
            "天气预报也不一定准。",
        ),
    ),
    SampleDialogue(
        "我家猫把我的耳机线咬断了，第三根了。",
        (
            revised("它是不是觉得那是面条？", "它是不是饿了？"),
            written("可能吧，它连拉面的广告都看得目不转睛。"),
            selected("换成无线的不就好了。"),
            written(
                "无线的被它推到沙发底下，找了两天。",
                "无线的也挺方便。",
                "",
                "无线的也挺方便。",
                "猫都很调皮。",
                "你的猫真可爱。",
                "那就别用耳机了。",
                "无线的被它推到沙发底下了。",
            ),
            revised("看来它是故意的，想让你陪它玩。", "它想让你陪它玩。"),
            written("那我今晚就陪它玩一个小时毛线球。"),
            written("小心它把毛线当成更长的面条。"),
            selected("哈哈哈，那我得先把它喂饱。"),
            written("记得拍照，我要看它追毛线的样子。"),
        ),
        (
            "猫咪都喜欢咬东西。",
            "我家养的是狗。",
            "你的猫是什么品种？",
            "可以给它买个玩具。",
            "猫真是太可爱了。",
            "我也想养一只猫。",
            "你平时喂它什么？",
        ),
    ),
    SampleDialogue(
        "国庆想去海边，又怕人太多。",
        (
            written("可以去小渔村，游客少，海鲜还便宜。"),
            revised("好主意，你去过哪个渔村？", "好主意，我也想去。"),
            written("我去过一个叫半月湾的地方，晚上能听见船在说话。"),
            selected("船怎么会说话？"),
            revised("风一吹，缆绳就吱呀吱呀地响，像老人聊天。", "风一吹，缆绳就会响。"),
            written("被你说得我现在就想收拾行李。"),
            selected("带上防晒霜，那边太阳很毒。"),
        ),
        (
            "海边的风景很美。",
            "我没有去过海边。",
            "人多的地方要注意安全。",
            "你打算去几天？",
            "我喜欢爬山。",
            "可以提前订酒店。",
        ),
    ),
    SampleDialogue(
        "坚持跑步第30天，终于能跑完5公里了！",
        (
            revised("恭喜恭喜！第一天你可是跑800米都喘。", "恭喜恭喜！真厉害！"),
            selected("对啊，那天我以为自己要留在操场上了。"),
            written("有什么秘诀吗？我每次都坚持不过三天。"),
            written("秘诀就是把跑鞋放在门口，出门不穿都不好意思。"),
            revised("这招不错，我今晚就把鞋放门口。", "这招不错，我也试试。"),
            written("小心别绊倒，我第一天就摔了一跤。"),
            revised("哈哈，看来第一步是学会不摔跤。", "哈哈，你真逗。"),
        ),
        (
            "跑步对身体很好。",
            "我喜欢游泳。",
            "要注意拉伸哦。",
            "加油，你是最棒的！",
            "我也想开始运动了。",
            "每天跑多久呢？",
            "坚持就是胜利。",
        ),
    ),
    SampleDialogue(
        "你最近在看什么书？我书荒了。",
        (
            revised("在看一本讲灯塔看守人的小说，很安静。", "在看一本小说。"),
            written("安静的书我容易睡着，有没有热闹一点的？"),
            selected("那推荐你看武侠，打起来可热闹了。"),
            revised("武侠好！小时候我还拿扫帚当过剑。", "武侠好！我小时候也看。"),
            written("谁没当过大侠呢，我用的是我妈的鸡毛掸子。"),
            written("结果是不是大侠先被鸡毛掸子教育了？"),
            selected("你怎么知道的！"),
            written("因为我那把扫帚也是这个下场。"),
        ),
        (
            "我喜欢看历史书。",
            "读书使人进步。",
            "可以去图书馆看看。",
            "我很久没看书了。",
            "你喜欢哪个作家？",
            "看书是个好习惯。",
        ),
    ),
    SampleDialogue(
        "又加班到十点，办公室只剩我和饮水机。",
        (
            written("饮水机至少会咕噜一声回应你。"),
            selected("哈哈，你这么说我感觉没那么孤单了。"),
            revised("快回家吧，路上买点热的吃。", "快回家休息吧。"),
            written("楼下的馄饨摊还亮着灯，我闻到味儿了。"),
            revised("大碗的，多加香菜和辣油！", "多吃一点，别饿着。"),
            written("我不吃香菜，你的那份我替你留着。"),
            written("浪费香菜是要被罚加班的。"),
        ),
        (
            "工作辛苦了。",
            "加班有加班费吗？",
            "注意身体，早点休息。",
            "我今天也很忙。",
            "你是做什么工作的？",
            "周末好好放松一下。",
            "我们公司不加班。",
        ),
    ),
    SampleDialogue(
        "新开的奶茶店排队排到马路上去了。",
        (
            selected("什么味道这么火？"),
            revised("好像是桂花酒酿，我闻着都醉了。", "好像是桂花味的。"),
            written("排多久你都愿意？"),
            revised("上次排了四十分钟，喝了四分钟。", "上次排了四十分钟。"),
            written("这效率，不如我在家煮一锅。"),
            selected("你煮的上次像中药。"),
            written("那是养生版，良药苦口嘛！"),
            revised("良药是良药，就是没有珍珠。", "良药苦口利于病。"),
            written("下次我往里面放珍珠，双份的。"),
        ),
        (
            "我喜欢喝咖啡。",
            "奶茶喝多了会胖。",
            "可以点外卖呀。",
            "我一般喝白开水。",
            "排队的人真多。",
            "少糖比较健康。",
        ),
    ),
    SampleDialogue(
        "我在学吉他，手指疼得厉害。",
        (
            revised("都要过这一关，长了茧子就不疼了。", "都要过这一关。"),
            written("那得等多久？我已经弹了两个星期的《小星星》。"),
            written("邻居现在应该也会唱了。"),
            selected("昨天电梯里真的有人在哼。"),
            written("恭喜你，已经有粉丝了！"),
            Reply("下次开个电梯演唱会，只收西瓜不收钱。", exactly=()),
            revised("我带西瓜去，前排给我留一个位置。", "我带西瓜去。"),
        ),
        (
            "吉他很好听。",
            "我会弹钢琴。",
            "学乐器需要坚持。",
            "你喜欢什么歌？",
            "可以找个老师教。",
            "音乐能让人放松。",
        ),
    ),
    SampleDialogue(
        "我养的薄荷死了，这可是号称养不死的植物。",
        (
            written("植物杀手，请问您还有什么作案经历？"),
            revised("还有一盆仙人掌，我天天给它浇水。", "还有一盆仙人掌。"),
            written(
                "仙人掌：我谢谢你啊。",
                " 仙人掌：我谢谢你啊。 ",
                "仙人掌不用天天浇水。",
                "植物需要阳光。",
            ),
            revised("要不你养塑料花吧，擦擦灰就行。", "要不你养塑料花吧。"),
            selected("塑料花也褪色了……"),
            written("那你只适合养石头。"),
            written("石头我有一块，\t还没死，挺精神的。"),
        ),
        (
            "薄荷可以泡茶喝。",
            "要多晒太阳。",
            "养花需要耐心。",
            "我家的花也死了。",
            "可以换个大一点的盆。",
            "植物也是有生命的。",
        ),
    ),
    SampleDialogue(
        "早高峰的地铁，我是被人流抬上车的。",
        (
            selected("脚都不用动，省力气。"),
            revised("省是省了，就是坐过了两站才挤到门口。", "省是省了，就是太挤了。"),
            written("那你迟到了吗？"),
            written("没有，我现在都提前四站开始往门口挪。"),
            revised("经验丰富，可以写一本《地铁生存指南》。", "经验丰富，佩服佩服。"),
            selected("第一章：如何单脚站立。"),
            written("第二章我来写：《论背包放前面的重要性》。"),
            revised("稿费买两张月票，一人一张。", "稿费我们一人一半。"),
            written("成交，明早八点门口见，\n见不到就是还在车上。"),
        ),
        (
            "地铁很方便。",
            "我一般坐公交车。",
            "早点出门就不挤了。",
            "可以骑共享单车。",
            "上班真辛苦。",
            "你住得远吗？",
            "北京的地铁很挤。",
        ),
    ),
)

VALID = (
    SampleDialogue(
        "这个周末终于不用上课，我要睡到中午。",
        (
            revised("睡到中午，早饭和午饭就合并了，省钱。", "睡到中午，真幸福。"),
            selected("对，这叫经济实惠。"),
            written("我妈会在七点准时开吸尘器。"),
            written("天下的妈妈都有同一台吸尘器。"),
            revised("可能是群里统一通知的，七点集合。", "可能是约好的吧。"),
            selected("下次我也进那个群。"),
            written("进群要先会说一句：都几点了还睡！"),
        ),
        (
            "周末要好好休息。",
            "我周末一般去逛街。",
            "早睡早起身体好。",
            "你平时几点睡？",
            "睡觉是最舒服的。",
            "真羡慕你。",
        ),
    ),
    SampleDialogue(
        "火锅你吃辣锅还是清汤？",
        (
            written("鸳鸯锅，中间那条线就是我的底线。"),
            revised("我是重庆人，你这话我不敢在家里说。", "我是重庆人，我吃辣锅。"),
            selected("重庆人看见清汤会生气吗？"),
            revised("不会生气，只会沉默地把菜都下进辣锅。", "不会生气，只是不吃。"),
            written("那我的青菜岂不是很危险？"),
            written("别怕，我给你留一个番茄小碗。"),
            selected("够朋友，毛肚分你一半。"),
            revised("毛肚要七上八下，时间我来掐。", "毛肚很好吃。"),
        ),
        (
            "我不太能吃辣。",
            "火锅是冬天的最爱。",
            "你喜欢什么蘸料？",
            "吃火锅容易上火。",
            "我喜欢吃牛肉卷。",
            "清汤比较健康。",
        ),
    ),
    SampleDialogue(
        "我的自行车又被风吹倒了，排着队倒的那种。",
        (
            selected("多米诺骨牌啊？"),
            revised("对，我的是第一块，从头倒到尾。", "对，我的是第一块。"),
            written("那你扶了几辆？"),
            written("扶了十七辆，扶到最后手都黑了。"),
            revised("好人一生平安，请你喝汽水。", "你真是个好人。"),
            written("要冰的，橘子味，瓶装的那种。"),
            written("小时候的味道，一块钱还能退瓶子。"),
        ),
        (
            "骑车很环保。",
            "风太大了，注意安全。",
            "可以停在车棚里。",
            "我有一辆电动车。",
            "骑车可以锻炼身体。",
            "你每天骑车上班吗？",
            "下次停稳一点。",
        ),
    ),
    SampleDialogue(
        "数到第九百只羊，我还是没睡着。",
        (
            written("羊都累了，让它们下班吧。"),
            selected("它们下班了，那我怎么办？"),
            revised("起来看看窗外，今晚的月亮特别圆。", "起来看看月亮吧。"),
            written("看到了，像一个没放糖的月饼。"),
            revised("你这是饿了，不是失眠。", "你是不是饿了？"),
            selected("好像是，我去煮个鸡蛋。"),
            written("记得给那九百只羊也分一点。"),
        ),
        (
            "睡前喝杯牛奶吧。",
            "失眠真的很难受。",
            "可以听听轻音乐。",
            "别想太多了。",
            "我也经常失眠。",
            "早点睡，明天还要上班。",
        ),
    ),
    SampleDialogue(
        "给爸妈拍照，他们永远是剪刀手。",
        (
            revised("我爸是标准军姿，像在拍证件照。", "我爸也不会摆姿势。"),
            written("那你教他换个动作呀。"),
            selected("教了，他换成了双手叉腰。"),
            written("叉腰也行，显得特别有气势！"),
            revised("我妈说像在视察工地。", "我妈也这么说。"),
            written("下次让阿姨入镜，一起视察。"),
            selected("好，洗出来送你一张。"),
            written("我要放在书桌上，监督我写作业。"),
        ),
        (
            "拍照要注意光线。",
            "我不喜欢拍照。",
            "你用什么相机？",
            "多陪陪爸妈。",
            "照片是美好的回忆。",
            "可以去照相馆拍。",
        ),
    ),
)

TEST = (
    SampleDialogue(
        "照着视频做面包，烤出来像一块砖。",
        (
            selected("可以留着防身。"),
            revised("我敲了一下桌子，桌子先响了。", "我敲了一下桌子。"),
            written("是不是忘了放酵母？"),
            written("放了，可能那包酵母比我还懒。"),
            revised("下次用温水先叫醒它，再放糖。", "下次用温水试试。"),
            written("叫醒酵母比叫醒我儿子容易吗？"),
            selected("容易多了，酵母不赖床。"),
        ),
        (
            "面包店里有卖的。",
            "我喜欢吃甜面包。",
            "第一次都会失败的。",
            "要看温度和时间。",
            "自己做比较健康。",
            "你真有耐心。",
        ),
    ),
    SampleDialogue(
        "陪爷爷钓了一下午鱼，只钓到一只拖鞋。",
        (
            written("左脚的还是右脚的？"),
            selected("左脚的，爷爷说再等等右脚。"),
            revised("你爷爷真幽默，心态也好。", "你爷爷真幽默。"),
            revised("他说钓鱼钓的是时间，不是鱼。", "他说钓鱼要有耐心。"),
            written("那你们今天大丰收，钓了四个小时。"),
            written("哈哈，我回去就这么跟奶奶汇报。"),
            selected("奶奶会说：那晚饭吃时间吧。"),
            revised("所以我们回家路上买了两条鲫鱼。", "所以我们买了鱼。"),
            written("买鱼的事，可要跟拖鞋统一口径。"),
        ),
        (
            "钓鱼需要耐心。",
            "我没有钓过鱼。",
            "你们在哪里钓的？",
            "鱼汤很有营养。",
            "多陪陪老人家。",
            "湖边的空气很好。",
        ),
    ),
    SampleDialogue(
        "搬家三天了，我还没找到装袜子的箱子。",
        (
            revised("先穿拖鞋顶一顶，反正在家。", "先穿拖鞋吧。"),
            written("可是我明天要见客户。"),
            written("穿靴子，谁也看不见里面有没有袜子。"),
            selected("你这个主意有点味道。"),
            revised("哈哈，箱子上没写字吗？", "箱子上没写字吗？"),
            written("写了，八个箱子都写着“杂物”。"),
            revised("那就像拆盲盒一样，一天拆一个。", "那就一个一个找吧。"),
        ),
        (
            "搬家真的很累。",
            "可以请搬家公司。",
            "新家怎么样？",
            "东西太多了就扔一点。",
            "我也刚搬完家。",
            "慢慢收拾，别着急。",
            "恭喜乔迁之喜！",
        ),
    ),
    SampleDialogue(
        "我跟八岁的侄子下围棋，输了。",
        (
            selected("你让他了吧？"),
            revised("让什么让，他让了我九个子。", "没有，我是真的输了。"),
            written("这孩子以后了不得。"),
            written("他赢了以后还安慰我：舅舅你很有进步。"),
            revised("这话听着比输棋还扎心。", "这孩子真懂事。"),
            written("所以我请他吃了冰淇淋，封口费。"),
            selected("几个球的？"),
            revised("三个球，他连吃冰淇淋都要占三路。", "三个球的。"),
        ),
        (
            "围棋很难学。",
            "小孩子学东西快。",
            "我会下象棋。",
            "胜败乃兵家常事。",
            "可以教教我吗？",
            "他学了多久了？",
        ),
    ),
    SampleDialogue(
        "山上的星星多得像撒了一把盐。",
        (
            written("你们带望远镜了吗？"),
            revised("带了，结果大家都拿它看对面山头的烧烤摊。", "带了，看得很清楚。"),
            selected("看出来卖什么了吗？"),
            written("烤玉米，十块钱两根，老板还在打瞌睡。"),
            revised("那你们到底看没看星星？", "那你们看星星了吗？"),
            written("看了，一边啃玉米一边看，银河都是甜的。"),
            selected("下次叫上我，我带辣椒面。"),
        ),
        (
            "城市里看不到星星。",
            "山上晚上很冷。",
            "你认识北斗七星吗？",
            "我喜欢看日出。",
            "流星可以许愿。",
            "真浪漫啊。",
        ),
    ),
)

DIALOGUES = {"train": TRAIN, "valid": VALID, "test": TEST}
